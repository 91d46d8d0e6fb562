"""Tensors of torch, jax, TensorFlow and CuPy are what their arrays of NumPy are. None of these libraries is needed
here: classes stand in for them that raise where the real ones do."""

import beameval
import numpy as np
import pytest

TRUE, SCORE = [1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6]
Y = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 0]])
P = np.array([[0.9, 0.2, 0.1], [0.3, 0.8, 0.4], [0.6, 0.7, 0.2], [0.1, 0.6, 0.2]])


def evaluate(*args, **keys):
    return beameval.evaluate(*args, quiet=True, **keys)


class Tensor:
    """Does what torch.Tensor does: numpy() is for tensors on the CPU that need no gradient, of types that NumPy has."""

    def __init__(self, of, grad=False, device="cpu", bfloat16=False, sparse=False):
        self.of, self.requires_grad, self.device, self.bfloat16, self.is_sparse = np.asarray(of), grad, device, bfloat16, sparse
        self.shape, self.ndim = self.of.shape, self.of.ndim
        self.dtype = "torch.bfloat16" if bfloat16 else f"torch.{self.of.dtype}"

    def _with(self, of=None, **changed):
        kept = {"grad": self.requires_grad, "device": self.device, "bfloat16": self.bfloat16, "sparse": self.is_sparse}
        return Tensor(self.of if of is None else of, **{**kept, **changed})

    def detach(self):
        return self._with(grad=False)

    def cpu(self):
        return self._with(device="cpu")

    def float(self):
        return self._with(self.of.astype("float32"), bfloat16=False)

    def to_dense(self):
        return self._with(sparse=False)

    def numpy(self):
        if self.is_sparse:
            raise TypeError("can't convert Sparse layout tensor to numpy")
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self.device != "cpu":
            raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()")
        if self.bfloat16:
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.of

    def __array__(self, dtype=None, copy=None):
        return self.numpy()

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return len(self.of)

    def __getitem__(self, at):
        return self._with(self.of[at])

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return (self[at] for at in range(len(self)))

    def item(self):
        return self.of.item()

    def tolist(self):
        return self.of.tolist()


class Jax:
    """An array that NumPy can take, and whose items are arrays without dimensions."""

    def __init__(self, of):
        self.of = np.asarray(of)
        self.shape, self.dtype, self.ndim = self.of.shape, self.of.dtype, self.of.ndim

    def __array__(self, dtype=None, copy=None):
        return self.of

    def __len__(self):
        return len(self.of)

    def __getitem__(self, at):
        return Jax(self.of[at])

    def __iter__(self):
        return (self[at] for at in range(len(self)))


class Device(Jax):
    """An array of CuPy, which NumPy takes only by get."""

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array explicitly.")

    def get(self):
        return self.of


class Capsule:
    """An array that has no more than the protocol DLPack."""

    def __init__(self, of):
        self.of = np.ascontiguousarray(of)
        self.shape, self.dtype = self.of.shape, self.of.dtype

    def __dlpack__(self, **keys):
        return self.of.__dlpack__(**keys)

    def __dlpack_device__(self):
        return self.of.__dlpack_device__()


FORMS = {
    "torch": Tensor,
    "gradient": lambda a: Tensor(a, grad=True),
    "cuda": lambda a: Tensor(a, grad=True, device="cuda:0"),
    "sparse": lambda a: Tensor(a, sparse=True),
    "jax": Jax,
    "cupy": Device,
    "dlpack": Capsule,
    "list of tensors": lambda a: [Tensor(row, grad=True) for row in np.asarray(a)],
    "list of arrays": lambda a: [Jax(row) for row in np.asarray(a)],
    "list of numbers": lambda a: list(np.asarray(a)),
    "numbers without dimensions": lambda a: [np.asarray(row) for row in np.asarray(a)],
}


@pytest.mark.parametrize("name", FORMS)
def test_tensors(name):
    of = FORMS[name]
    assert evaluate(y_true=of(TRUE), y_score=of(SCORE))["roc_auc"] == 0.75
    assert evaluate(of(TRUE), of(SCORE))["roc_auc"] == 0.75
    assert evaluate(y_true=of(np.array(TRUE, bool)), y_score=of(SCORE))["roc_auc"] == 0.75
    assert evaluate(y_true=of(np.array(TRUE)[:, None]), y_score=of(np.array(SCORE)[:, None]))["roc_auc"] == 0.75
    assert evaluate(y_true=of(TRUE), y_score=of(np.c_[1 - np.array(SCORE), SCORE]))["roc_auc"] == 0.75
    assert evaluate(y_true=of([0, 1, 0, 2]), y_score=of(P))["accuracy"] == 0.5
    assert evaluate(y_true=of([0, 1, 0, 2]), y_pred=of([0, 1, 2, 2]), task="multiclass")["accuracy"] == 0.75
    assert evaluate(y_true=of(Y), y_score=of(P))["hamming_loss"] == 2 / 12
    assert evaluate(y_true=of(TRUE), y_score=of(SCORE), sample_weight=of([1.0, 1, 0, 0]))["accuracy"] == 1
    slices = evaluate(y_true=of(TRUE), y_score=of(SCORE), slices={"sex": of([0, 0, 1, 1])}).slices
    assert slices.column("accuracy").to_pylist() == [0.5, 1, 0]
    data = {"y": of(TRUE), "p": of(SCORE), "w": of([1, 1, 0, 0])}
    assert evaluate(data, label="y", score="p", weight="w")["accuracy"] == 1


def test_bfloat16():
    scores = np.array([0.8984375, 0.2001953125, 0.400390625, 0.6015625], "float32")
    assert evaluate(y_true=TRUE, y_score=Tensor(scores, bfloat16=True, grad=True))["roc_auc"] == 0.75


@pytest.mark.parametrize("of", [Tensor, Jax, np.asarray])
def test_one_value(of):
    for keys in {"y_true": of(1), "y_score": of(0.5)}, {"y_true": of([1]), "y_score": of(0.5)}, {"y_true": of(1), "y_score": of([0.5])}:
        with pytest.raises(beameval.Error, match="is one value: pass an array with one for each row, as in reshape\\(1\\)"):
            evaluate(**keys)


def test_more_dimensions():
    with pytest.raises(beameval.Error, match="y_score has 3 dimensions, of 4 by 1 by 3: pass one or two"):
        evaluate(y_true=[0, 1, 0, 2], y_score=Tensor(P[:, None, :]))


def test_masked():
    """What is masked is missing."""
    scores = np.ma.array(SCORE, mask=[False, False, True, False])
    with pytest.raises(beameval.Error, match="row 2: .*null"):
        evaluate(y_true=TRUE, y_score=scores)
    with pytest.raises(beameval.Error, match="row 2: .*null"):
        evaluate(y_true=TRUE, y_score=np.ma.array(np.c_[1 - scores.data, scores.data], mask=np.c_[scores.mask, scores.mask]))
    assert evaluate(y_true=TRUE, y_score=np.ma.array(SCORE))["roc_auc"] == 0.75
