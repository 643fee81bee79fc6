"""All pictures of a run."""

from picture import memory, scaling, step, timeline

PICTURES = {"memory": memory.picture, "step": step.picture, "timeline": timeline.picture, "scaling": scaling.picture}


def pictures_of(everything):
    """Name and SVG of each that there are figures for. `everything`: of measured_in."""
    drawn = {name: draw(everything) for name, draw in PICTURES.items()}
    return {name: svg for name, svg in drawn.items() if svg}
