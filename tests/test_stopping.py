"""The stopping rule: the paper's eq. 15 against its literal transcription, and patience."""

from fractions import Fraction

import numpy as np
import pytest

from mhboost._stopping import T_MIN, patience_ends, smoothed_scores, smoothed_stopping_time


def literal_smoothed(R, T):
    """Eq. 15's term, R[1] being the score of the first round; there is no round 0 to add.

    Fractions: ties are true ties.
    """
    first = T * 4 // 5
    return sum(Fraction(R[t - 1]) for t in range(max(first, 1), T + 1)) / (T - first)


def literal_stopping_time(R, t_min):
    return min(range(t_min + 1, len(R) + 1), key=lambda T: literal_smoothed(R, T))


def histories(seed, n):
    """Noisy scores that fall and rise again; sums of these numbers are exact."""
    rng = np.random.default_rng(seed)
    t = np.linspace(-1, 1, n)
    return np.round(1024 * (t**2 + 0.3 * rng.random(n))) / 1024


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 10, 49, 120])
def test_smoothed_scores_are_eq_15_term_by_term(n):
    R = histories(n, n)
    literal = [float(literal_smoothed(R, T)) for T in range(1, n + 1)]
    assert smoothed_scores(R) == pytest.approx(literal, abs=1e-12)


@pytest.mark.parametrize("t_min", [0, 1, 10, T_MIN])
@pytest.mark.parametrize("seed", range(10))
def test_the_stopping_time_is_the_literal_one(seed, t_min):
    R = histories(seed, 90 + seed)
    assert smoothed_stopping_time(R, t_min) == literal_stopping_time(R, t_min)


@pytest.mark.parametrize("n", [0, 1, 30, T_MIN])
def test_with_no_more_rounds_than_t_min_all_are_kept(n):
    assert smoothed_stopping_time(np.arange(n)) == n


def test_t_min_is_the_papers():
    assert T_MIN == 50
    rising = np.arange(100.0)
    assert smoothed_stopping_time(rising) == 51


def test_of_equal_rounds_the_first_is_kept():
    """A constant has the term c (1 + 1 / (T - floor(0.8 T))): it falls in steps of five rounds."""
    for c in (1.0, 0.1, 1 / 3):
        R = np.full(57, c)
        assert literal_stopping_time(R, 50) == smoothed_stopping_time(R) == 56


def test_one_lucky_round_is_not_believed():
    falling = np.linspace(1, 0.5, 200)
    falling[60] = 0.3
    assert smoothed_stopping_time(falling) == 200


# ------------------------------------------------------------------------------------ patience


def literal_patience(R, patience, t_min):
    """The stopping time as it would be seen after each round."""
    for T in range(t_min + 1, len(R) + 1):
        if T - literal_stopping_time(R[:T], t_min) >= patience:
            return T
    return None


@pytest.mark.parametrize("patience", [1, 3, 10, 40, 1000])
@pytest.mark.parametrize("seed", range(5))
def test_patience_ends_when_the_best_round_is_that_old(seed, patience):
    R = histories(seed, 80)
    assert patience_ends(R, patience, 10) == literal_patience(R, patience, 10)


def test_patience_without_a_number_never_ends():
    assert patience_ends(np.arange(1000), None) is None


@pytest.mark.parametrize("n", [0, 1, T_MIN])
def test_patience_does_not_end_before_t_min(n):
    assert patience_ends(np.arange(n), 1) is None


@pytest.mark.parametrize("seed", range(5))
def test_more_rounds_do_not_move_the_end(seed):
    """So it does not matter how often training looks."""
    R = histories(seed, 150)
    end = patience_ends(R, 8, 10)
    assert all(patience_ends(R[:T], 8, 10) == end for T in range(end, len(R)))
    assert all(patience_ends(R[:T], 8, 10) is None for T in range(end))
