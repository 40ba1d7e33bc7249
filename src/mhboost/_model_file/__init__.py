"""The model file: a safetensors container with a JSON header and the arrays of the trees.

    container   bytes <-> header and arrays; numbers in the narrowest type that holds them
    values      labels and parameters <-> JSON
    trees       the core's binner and ensemble <-> arrays
    header      what a model knows besides <-> JSON
    model       a fitted estimator <-> bytes; `load`
    disk        files that are there completely or not at all

docs/model-format.md is the specification. Reading executes nothing, and gives nothing out that was
not checked: sizes, types, ranges, links and numbers.
"""
