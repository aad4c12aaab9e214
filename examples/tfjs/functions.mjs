// K's functions in TensorFlow.js: its own K backend where that has them, else the function of the same meaning.
// Each takes the arguments by the names of Keras 2.2, and gives undefined for what TensorFlow.js has no word for.
import * as tf from "@tensorflow/tfjs";
import * as K from "@tensorflow/tfjs-layers/dist/backend/tfjs_backend.js";
import * as losses from "@tensorflow/tfjs-layers/dist/losses.js";
import { conv1d, conv2d, conv3d } from "@tensorflow/tfjs-layers/dist/layers/convolutional.js";
import { depthwiseConv2d } from "@tensorflow/tfjs-layers/dist/layers/convolutional_depthwise.js";
import { batchNormalization } from "@tensorflow/tfjs-layers/dist/layers/normalization.js";
import { spatial2dPadding, temporalPadding } from "@tensorflow/tfjs-layers/dist/layers/padding.js";
import { pool2d, pool3d } from "@tensorflow/tfjs-layers/dist/layers/pooling.js";

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const FORMATS = { channels_first: "channelsFirst", channels_last: "channelsLast" };
const channels = (format) => (format === null ? "channelsLast" : (FORMATS[format] ?? format));
const ofOne = ["abs", "cos", "exp", "log", "round", "sigmoid", "sin", "softplus", "sqrt", "tanh"];
const ofTwo = ["equal", "greater", "greater_equal", "less", "less_equal", "maximum", "minimum", "not_equal"];
const ofTruth = ["all", "any"]; // TensorFlow.js takes bool alone: cast, as K on TensorFlow does
const reductions = ["max", "mean", "min", "prod", "sum"];
const isLast = ({ axis, output }) => axis === -1 || axis === output.rank - 1;
const table = (names, make) => Object.fromEntries(names.map((name) => [name, make(tf[camel(name)])]));

export const functions = {
  ...table(ofOne, (f) => (a) => f(a.x)),
  ...table(ofTwo, (f) => (a) => f(a.x, a.y)),
  ...table(reductions, (f) => (a) => f(a.x, a.axis, a.keepdims)),
  ...table(ofTruth, (f) => (a) => f(tf.cast(a.x, "bool"), a.axis, a.keepdims)),
  logsumexp: (a) => tf.logSumExp(a.x, a.axis, a.keepdims),
  var: (a) => tf.moments(a.x, a.axis, a.keepdims).variance,
  std: (a) => tf.sqrt(tf.moments(a.x, a.axis, a.keepdims).variance),
  argmax: (a) => tf.argMax(a.x, a.axis),
  argmin: (a) => tf.argMin(a.x, a.axis),
  cumsum: (a) => tf.cumsum(a.x, a.axis),
  cumprod: (a) => tf.cumprod(a.x, a.axis),
  clip: (a) => tf.clipByValue(a.x, a.min_value, a.max_value),
  softmax: (a) => tf.softmax(a.x, a.axis),
  relu: (a) => {
    if (a.alpha) return a.max_value === null ? tf.leakyRelu(a.x, a.alpha) : undefined;
    return a.max_value === null ? tf.relu(a.x) : tf.clipByValue(tf.relu(a.x), 0, a.max_value);
  },
  reshape: (a) => tf.reshape(a.x, a.shape),
  transpose: (a) => tf.transpose(a.x),
  permute_dimensions: (a) => tf.transpose(a.x, a.pattern),
  squeeze: (a) => tf.squeeze(a.x, [a.axis]),
  stack: (a) => tf.stack(a.x, a.axis),
  reverse: (a) => tf.reverse(a.x, a.axes),
  slice: (a) => tf.slice(a.x, a.start, a.size),
  identity: (a) => tf.clone(a.x),
  ones_like: (a) => (a.dtype ? undefined : tf.onesLike(a.x)),
  zeros_like: (a) => (a.dtype ? undefined : tf.zerosLike(a.x)),
  arange: (a) => (a.stop === null ? tf.range(0, a.start, a.step, a.dtype) : tf.range(a.start, a.stop, a.step, a.dtype)),
  eye: (a) => tf.eye(a.size, a.size, null, a.dtype ?? "float32"),
  ones: (a) => tf.ones(a.shape, a.dtype ?? "float32"),
  zeros: (a) => tf.zeros(a.shape, a.dtype ?? "float32"),
  // the K backend inside tfjs-layers
  batch_flatten: (a) => K.batchFlatten(a.x),
  bias_add: (a) => K.biasAdd(a.x, a.bias, channels(a.data_format)),
  cast: (a) => K.cast(a.x, a.dtype),
  concatenate: (a) => K.concatenate(a.tensors, a.axis),
  dot: (a) => K.dot(a.x, a.y),
  elu: (a) => K.elu(a.x, a.alpha),
  expand_dims: (a) => K.expandDims(a.x, a.axis),
  flatten: (a) => K.flatten(a.x),
  gather: (a) => K.gather(a.reference, a.indices),
  hard_sigmoid: (a) => K.hardSigmoid(a.x),
  one_hot: (a) => K.oneHot(a.indices, a.num_classes),
  pow: (a) => K.pow(a.x, a.a),
  repeat: (a) => K.repeat(a.x, a.n),
  sign: (a) => K.sign(a.x),
  softsign: (a) => K.softsign(a.x),
  square: (a) => K.square(a.x),
  tile: (a) => K.tile(a.x, a.n),
  // the functions of its layers and losses
  batch_normalization: (a) => batchNormalization(a.x, a.mean, a.var, a.beta, a.gamma, a.epsilon),
  binary_crossentropy: (a) =>
    a.from_logits ? losses.sigmoidCrossEntropyWithLogits(a.target, a.output) : undefined,
  categorical_crossentropy: (a) =>
    isLast(a) ? losses.categoricalCrossentropy(a.target, a.output, a.from_logits) : undefined,
  sparse_categorical_crossentropy: (a) =>
    isLast(a) ? losses.sparseCategoricalCrossentropy(a.target, a.output, a.from_logits) : undefined,
  l2_normalize: (a) => losses.l2Normalize(a.x, a.axis),
  conv1d: (a) => conv1d(a.x, a.kernel, a.strides, a.padding, channels(a.data_format), a.dilation_rate),
  conv2d: (a) => conv2d(a.x, a.kernel, a.strides, a.padding, channels(a.data_format), a.dilation_rate),
  conv3d: (a) => conv3d(a.x, a.kernel, a.strides, a.padding, channels(a.data_format), a.dilation_rate),
  depthwise_conv2d: (a) =>
    depthwiseConv2d(a.x, a.depthwise_kernel, a.strides, a.padding, channels(a.data_format), a.dilation_rate),
  pool2d: (a) => pool2d(a.x, a.pool_size, a.strides, a.padding, channels(a.data_format), a.pool_mode),
  pool3d: (a) => pool3d(a.x, a.pool_size, a.strides, a.padding, channels(a.data_format), a.pool_mode),
  spatial_2d_padding: (a) => spatial2dPadding(a.x, a.padding, channels(a.data_format)),
  temporal_padding: (a) => temporalPadding(a.x, a.padding),
};
