"""The loss that given gradients come from: the sum of <p, g>, and of curvature / 2 <p, p> over the elements of p for
which this micro-batch has a gradient (g is not 0).
"""


def curved_gradient(g, curvature, forward, backward):
    """From g to the gradient of the loss, where forward computed with the values `forward` of a parameter, and backward
    with the values `backward`: g + curvature * p where both had p. Arrays of numpy, or tensors of torch, in fp32; the
    result is still to be rounded to the parameter's dtype. The same as AddCurvature of
    reference/experiment/given_loss.hpp, by bits.
    """
    curved = (forward + backward) * (curvature / 2)
    return g + curved * (g != 0)
