"""What each edition documents, written down apart from the implementation.

One row: name, then the parameters in keras-1, keras-2.0 and keras-2.2. "=" means as in the column
before, "-" that the edition does not have the function.
"""

TABLE = """
max              x, axis=None, keepdims=False | = | =
min              x, axis=None, keepdims=False | = | =
sum              x, axis=None, keepdims=False | = | =
prod             x, axis=None, keepdims=False | = | =
cumsum           - | x, axis=0 | =
cumprod          - | x, axis=0 | =
var              x, axis=None, keepdims=False | = | =
std              x, axis=None, keepdims=False | = | =
mean             x, axis=None, keepdims=False | = | =
any              x, axis=None, keepdims=False | = | =
all              x, axis=None, keepdims=False | = | =
argmax           x, axis=-1 | = | =
argmin           x, axis=-1 | = | =
logsumexp        - | x, axis=None, keepdims=False | =
square           x | = | =
abs              x | = | =
sqrt             x | = | =
exp              x | = | =
log              x | = | =
round            x | = | =
sign             x | = | =
pow              x, a | = | =
clip             x, min_value, max_value | = | =
maximum          x, y | = | =
minimum          x, y | = | =
sin              x | = | =
cos              x | = | =
equal            x, y | = | =
not_equal        x, y | = | =
greater          x, y | = | =
greater_equal    x, y | = | =
lesser           x, y | - | -
lesser_equal     x, y | - | -
less             - | x, y | =
less_equal       - | x, y | =
concatenate      tensors, axis=-1 | = | =
reshape          x, shape | = | =
permute_dimensions x, pattern | = | =
repeat_elements  x, rep, axis | = | =
repeat           x, n | = | =
tile             - | x, n | =
flatten          - | x | =
batch_flatten    x | = | =
expand_dims      x, dim=-1 | x, axis=-1 | =
squeeze          x, axis | = | =
stack            - | x, axis=0 | =
one_hot          indices, nb_classes | indices, num_classes | =
reverse          x, axes | = | =
slice            - | - | x, start, size
gather           reference, indices | = | =
dot              x, y | = | =
batch_dot        x, y, axes=None | = | =
transpose        x | = | =
variable         value, dtype='float32', name=None | value, dtype=None, name=None | value, dtype=None, name=None, constraint=None
constant         - | value, dtype=None, shape=None, name=None | =
placeholder      shape=None, ndim=None, dtype='float32', name=None | shape=None, ndim=None, dtype=None, sparse=False, name=None | =
zeros            shape, dtype='float32', name=None | shape, dtype=None, name=None | =
ones             shape, dtype='float32', name=None | shape, dtype=None, name=None | =
eye              size, dtype='float32', name=None | size, dtype=None, name=None | =
zeros_like       x, name=None | x, dtype=None, name=None | =
ones_like        x, name=None | x, dtype=None, name=None | =
identity         - | x | x, name=None
arange           - | start, stop=None, step=1, dtype='int32' | =
relu             x, alpha=0.0, max_value=None | = | =
elu              - | x, alpha=1.0 | =
softmax          x | = | x, axis=-1
softplus         x | = | =
softsign         - | x | =
sigmoid          x | = | =
hard_sigmoid     x | = | =
tanh             x | = | =
eval             x | = | =
function         inputs, outputs, updates=[] | inputs, outputs, updates=None, **kwargs | =
get_value        x | = | =
set_value        x, value | = | =
batch_get_value  xs | ops | =
batch_set_value  tuples | = | =
update           - | x, new_x | =
update_add       - | x, increment | =
update_sub       - | x, decrement | =
shape            x | = | =
int_shape        x | = | =
ndim             x | = | =
dtype            x | = | =
cast             x, dtype | = | =
is_sparse        - | tensor | =
to_dense         - | tensor | =
is_tensor        - | - | x
is_placeholder   - | - | x
backend          () | = | =
floatx           () | = | =
set_floatx       - | floatx | =
epsilon          () | = | =
set_epsilon      e | = | =
image_data_format - | () | =
set_image_data_format - | data_format | =
image_dim_ordering () | = | -
set_image_dim_ordering dim_ordering | = | -
get_uid          - | prefix='' | =
reset_uids       - | () | =
clear_session    - | () | =
conv1d           - | x, kernel, strides=1, padding='valid', data_format=None, dilation_rate=1 | =
conv2d           x, kernel, strides=(1, 1), border_mode='valid', dim_ordering='th', image_shape=None, filter_shape=None | x, kernel, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1) | =
deconv2d         x, kernel, output_shape, strides=(1, 1), border_mode='valid', dim_ordering='tf', image_shape=None, filter_shape=None | - | -
conv2d_transpose - | x, kernel, output_shape, strides=(1, 1), padding='valid', data_format=None | =
separable_conv1d - | - | x, depthwise_kernel, pointwise_kernel, strides=1, padding='valid', data_format=None, dilation_rate=1
separable_conv2d - | x, depthwise_kernel, pointwise_kernel, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1) | =
depthwise_conv2d - | - | x, depthwise_kernel, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1)
conv3d           x, kernel, strides=(1, 1, 1), border_mode='valid', dim_ordering='tf', volume_shape=None, filter_shape=None | x, kernel, strides=(1, 1, 1), padding='valid', data_format=None, dilation_rate=(1, 1, 1) | =
conv3d_transpose - | - | x, kernel, output_shape, strides=(1, 1, 1), padding='valid', data_format=None
pool2d           x, pool_size, strides=(1, 1), border_mode='valid', dim_ordering='th', pool_mode='max' | x, pool_size, strides=(1, 1), padding='valid', data_format=None, pool_mode='max' | =
pool3d           x, pool_size, strides=(1, 1, 1), border_mode='valid', dim_ordering='tf', pool_mode='max' | x, pool_size, strides=(1, 1, 1), padding='valid', data_format=None, pool_mode='max' | =
local_conv1d     - | - | inputs, kernel, kernel_size, strides, data_format=None
local_conv2d     - | - | inputs, kernel, kernel_size, strides, output_shape, data_format=None
ctc_label_dense_to_sparse - | labels, label_lengths | =
ctc_batch_cost   y_true, y_pred, input_length, label_length | = | =
ctc_decode       y_pred, input_length, greedy=True, beam_width=None, dict_seq_lens=None, dict_values=None | y_pred, input_length, greedy=True, beam_width=100, top_paths=1 | =
cast_to_floatx   x | = | =
rnn              step_function, inputs, initial_states, go_backwards=False, mask=None, constants=None, unroll=False, input_length=None | = | =
switch           condition, then_expression, else_expression | = | =
in_train_phase   x, alt | x, alt, training=None | =
in_test_phase    x, alt | x, alt, training=None | =
map_fn           - | fn, elems, name=None, dtype=None | =
foldl            - | fn, elems, initializer=None, name=None | =
foldr            - | fn, elems, initializer=None, name=None | =
gradients        loss, variables | = | =
stop_gradient    variables | = | =
is_keras_tensor  - | x | =
count_params     x | = | =
categorical_crossentropy output, target, from_logits=False | = | target, output, from_logits=False, axis=-1
sparse_categorical_crossentropy output, target, from_logits=False | = | target, output, from_logits=False, axis=-1
binary_crossentropy output, target, from_logits=False | = | target, output, from_logits=False
in_top_k         - | predictions, targets, k | =
normalize_batch_in_training x, gamma, beta, reduction_axes, epsilon=0.0001 | x, gamma, beta, reduction_axes, epsilon=0.001 | =
batch_normalization x, mean, var, beta, gamma, epsilon=0.0001 | x, mean, var, beta, gamma, epsilon=0.001 | x, mean, var, beta, gamma, axis=-1, epsilon=0.001
l2_normalize     x, axis | = | x, axis=None
temporal_padding x, padding=1 | x, padding=(1, 1) | =
asymmetric_temporal_padding x, left_pad=1, right_pad=1 | - | -
spatial_2d_padding x, padding=(1, 1), dim_ordering='th' | x, padding=((1, 1), (1, 1)), data_format=None | =
spatial_3d_padding x, padding=(1, 1, 1), dim_ordering='th' | x, padding=((1, 1), (1, 1), (1, 1)), data_format=None | =
resize_images    X, height_factor, width_factor, dim_ordering | x, height_factor, width_factor, data_format | =
resize_volumes   X, depth_factor, height_factor, width_factor, dim_ordering | x, depth_factor, height_factor, width_factor, data_format | =
bias_add         - | x, bias, data_format=None | =
random_uniform_variable - | shape, low, high, dtype=None, name=None, seed=None | =
random_normal_variable - | shape, mean, scale, dtype=None, name=None, seed=None | =
random_normal    - | shape, mean=0.0, stddev=1.0, dtype=None, seed=None | =
random_uniform   - | shape, minval=0.0, maxval=1.0, dtype=None, seed=None | =
random_binomial  - | shape, p=0.0, dtype=None, seed=None | =
truncated_normal - | shape, mean=0.0, stddev=1.0, dtype=None, seed=None | =
dropout          x, level, seed=None | x, level, noise_shape=None, seed=None | =
manual_variable_initialization value | = | =
learning_phase   () | = | =
set_learning_phase - | value | =
get_variable_shape - | x | -
moving_average_update - | x, value, momentum | =
print_tensor     x, message='' | = | =
"""  # noqa: E501 - a table

EDITIONS = ("keras-1", "keras-2.0", "keras-2.2")


def documented() -> dict[str, dict[str, str]]:
    """Edition to function to signature, as `str(inspect.signature(f))` writes it."""
    signatures: dict[str, dict[str, str]] = {edition: {} for edition in EDITIONS}
    for row in TABLE.strip().splitlines():
        name, cells = row.split(maxsplit=1)
        current = "-"
        for edition, cell in zip(EDITIONS, cells.split("|"), strict=True):
            current = current if cell.strip() == "=" else cell.strip()
            if current != "-":
                signatures[edition][name] = "()" if current == "()" else f"({current})"
    return signatures
