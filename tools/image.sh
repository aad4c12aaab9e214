#!/bin/sh
# The steps of the Dockerfile, in its order; each runs as root on Debian 12:
#
#     image.sh python36 TARGETS      CPython 3.6 in /opt/python3.6, if one of the targets needs it
#     image.sh system TARGETS        packages of Debian, and the user `conformance`
#     image.sh suite FOLDER          the suite from its sources, in /opt/suite
#     image.sh environments TARGETS  the environments of the targets
set -eu

PYENV=https://github.com/pyenv/pyenv
PYENV_COMMIT=f6a5b409e9fd1ad78aa4350ddc1fc5fc3d0fa666 # its recipe names the hashes of what it fetches

needs_python36() {
    for target in $targets; do
        case $target in
        tensorflow | theano | cntk | keras-1.* | keras-2.*) return 0 ;;
        esac
    done
    return 1
}

packages() {
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "$@"
    rm -rf /var/lib/apt/lists/*
}

python36() {
    mkdir -p /opt/python3.6
    if needs_python36 && ! [ -x /opt/python3.6/bin/python3.6 ]; then
        packages build-essential ca-certificates curl git libbz2-dev libffi-dev liblzma-dev \
            libreadline-dev libsqlite3-dev libssl-dev xz-utils zlib1g-dev
        git clone --quiet "$PYENV" /opt/pyenv
        git -C /opt/pyenv checkout --quiet "$PYENV_COMMIT"
        # Theano links its modules to the shared library
        PYTHON_CONFIGURE_OPTS=--enable-shared \
            /opt/pyenv/plugins/python-build/bin/python-build 3.6.15 /opt/python3.6
    fi
}

system() {
    packages ca-certificates python3 python3-venv
    if needs_python36; then
        packages g++ libopenmpi3 # g++ for Theano, Open MPI for CNTK
        ln -s /opt/python3.6/bin/python3.6 /usr/local/bin/
        python3.6 --version
    fi
    useradd --create-home --uid 1000 conformance
    chmod a+rwx /home/conformance
}

suite() {
    python3 -m venv /opt/suite
    /opt/suite/bin/pip install --quiet --no-cache-dir "$1"
    ln -s /opt/suite/bin/conformance /usr/local/bin/
    conformance --version
}

environments() {
    mkdir -p "$CONFORMANCE_HOME"
    # shellcheck disable=SC2086 # the names are words
    [ -z "$targets" ] || UV_NO_CACHE=1 conformance install $targets
    # `docker run --user` may name any user, and Theano keeps its folder from all but its owner
    chmod -R a+rwX "$CONFORMANCE_HOME"
    rm -rf /tmp/* "$HOME"/.cache
}

targets=${2-}
"$@"
