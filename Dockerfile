# The suite with its reference and, by the build argument TARGETS, environments of other targets:
#
#     docker build --tag conformance .
#     docker build --tag conformance --build-arg TARGETS="theano cntk" --platform linux/amd64 .
#     docker run --rm --init --volume "$PWD:/work" conformance conformance run theano
#
# docs/install.md explains both. The steps are in tools/image.sh.
ARG BASE=debian:bookworm-slim

FROM $BASE AS python36
ARG TARGETS=""
COPY tools/image.sh /usr/local/lib/
RUN sh /usr/local/lib/image.sh python36 "$TARGETS"

FROM $BASE
ARG TARGETS=""
COPY --from=python36 /opt/python3.6 /opt/python3.6
COPY tools/image.sh /usr/local/lib/
RUN sh /usr/local/lib/image.sh system "$TARGETS"
COPY LICENSE README.md pyproject.toml /usr/local/src/conformance/
COPY conformance /usr/local/src/conformance/conformance
RUN sh /usr/local/lib/image.sh suite /usr/local/src/conformance
# Environments lie outside of HOME, so that a volume there does not hide them.
ENV CONFORMANCE_HOME=/opt/environments HOME=/home/conformance
RUN sh /usr/local/lib/image.sh environments "$TARGETS"
USER conformance
WORKDIR /work
CMD ["conformance", "--help"]
