"""What becomes of video frames when the tracking service pauses."""

from collections import deque
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mot import FrameFlow, ReadingPolicy, catch_up_time, frame_flow

NEVER = np.inf


@dataclass
class Reference:
    """A frame by frame simulation of one service, in whole ticks, so that ties are ties."""

    period: int
    work: int
    capacity: int
    newest: bool
    outages: list[tuple[int, int]]
    duration: int

    def run(self) -> dict[str, list[int] | int]:
        """Step tick by tick; at each, a worker that is done takes a frame, an outage falls, a frame comes."""
        queue: deque[int] = deque()
        residual = processed = lost = arrived = 0
        count = len(self.outages)
        down_arrived, down_lost, after, peak = [0] * count, [0] * count, [0] * count, [0] * count
        caught = [-1] * count
        was_up = False
        for tick in range(self.duration):
            down = next((n for n, (start, end) in enumerate(self.outages) if start <= tick < end), None)
            started = [n for n, (start, end) in enumerate(self.outages) if start <= tick and end > start]
            current = started[-1] if started else -1
            if (down is None or was_up) and residual == 0:
                if queue:
                    queue.popleft()
                    residual = self.work
                elif down is None and current >= 0 and caught[current] < 0:
                    caught[current] = tick - self.outages[current][1]
            if tick % self.period == 0:
                arrived += 1
                if down is None and residual == 0:
                    residual = self.work
                elif len(queue) < self.capacity:
                    queue.append(tick)
                else:
                    if self.newest:
                        queue.popleft()
                        queue.append(tick)
                    lost += 1
                    if down is not None:
                        down_lost[down] += 1
                    elif current >= 0:
                        after[current] += 1
                if down is not None:
                    down_arrived[down] += 1
            if current >= 0:
                peak[current] = max(peak[current], len(queue))
            if down is None and residual > 0:
                residual -= 1
                processed += residual == 0
            was_up = down is None
        held = len(queue) + (residual > 0)
        return {
            "arrived": arrived,
            "processed": processed,
            "lost": lost,
            "backlog": held,
            "outage_arrived": down_arrived,
            "outage_lost": down_lost,
            "lost_after": after,
            "maximum_backlog": peak,
            "catch_up": caught,
        }


def flow_of(reference: Reference, tick_s: float) -> FrameFlow:
    times = np.array(reference.outages, dtype=float).reshape(1, -1, 2) * tick_s
    return frame_flow(
        times[..., 0],
        times[..., 1],
        duration_s=reference.duration * tick_s,
        frame_rate_hz=1 / (reference.period * tick_s),
        inference_s=reference.work * tick_s,
        policy=ReadingPolicy.NEWEST if reference.newest else ReadingPolicy.QUEUE,
        capacity=reference.capacity,
    )


@st.composite
def references(draw: st.DrawFn) -> Reference:
    newest = draw(st.booleans())
    edges = draw(st.lists(st.integers(0, 300), max_size=8, unique=True).map(sorted))
    return Reference(
        period=draw(st.integers(1, 12)),
        work=draw(st.integers(1, 20)),
        capacity=1 if newest else draw(st.integers(1, 8)),
        newest=newest,
        outages=list(zip(edges[::2], edges[1::2], strict=False)),
        duration=draw(st.integers(301, 400)),
    )


@settings(max_examples=600, deadline=None)
@given(references(), st.sampled_from([1.0, 0.01, 1 / 3]))
def test_the_closed_form_agrees_with_stepping_through_every_frame(reference: Reference, tick_s: float) -> None:
    flow, expected = flow_of(reference, tick_s), reference.run()
    for name in ("arrived", "processed", "lost", "backlog"):
        assert getattr(flow, name).tolist() == [expected[name]], name
    for name in ("outage_arrived", "outage_lost", "lost_after", "maximum_backlog"):
        assert getattr(flow, name).tolist() == [expected[name]], name


@settings(max_examples=300, deadline=None)
@given(references())
def test_the_catch_up_time_is_when_the_worker_first_rests(reference: Reference) -> None:
    flow, expected = flow_of(reference, 0.01), reference.run()
    caught = expected["catch_up"]
    assert isinstance(caught, list)
    ends = [*(start for start, _ in reference.outages), reference.duration][1:]
    for found, ticks, (_, end), following in zip(flow.catch_up_s[0], caught, reference.outages, ends, strict=True):
        if ticks >= 0:
            assert found == pytest.approx(ticks * 0.01, abs=1e-6)
        else:
            assert found == NEVER or found == pytest.approx((following - end) * 0.01, abs=1e-6)


@settings(max_examples=200)
@given(
    st.lists(st.floats(0.01, 100), min_size=2, max_size=12),
    st.floats(0.5, 60),
    st.floats(0.005, 2),
    st.integers(1, 200),
    st.sampled_from(ReadingPolicy),
)
def test_every_frame_is_processed_lost_or_held(
    edges: list[float], rate_hz: float, work_s: float, capacity: int, policy: ReadingPolicy
) -> None:
    times = np.sort(np.array(edges[: len(edges) // 2 * 2])).reshape(1, -1, 2)
    flow = frame_flow(
        times[..., 0],
        times[..., 1],
        duration_s=90.0,
        frame_rate_hz=rate_hz,
        inference_s=work_s,
        policy=policy,
        capacity=capacity,
    )
    assert flow.arrived[0] == flow.processed[0] + flow.lost[0] + flow.backlog[0]
    assert flow.processed[0] >= 0
    assert np.all(flow.outage_lost <= flow.outage_arrived)
    assert np.all(flow.maximum_backlog <= (1 if policy is ReadingPolicy.NEWEST else capacity))


@given(st.floats(0.1, 20), st.floats(0.1, 5), st.floats(1, 30), st.floats(0.01, 0.5), st.integers(1, 50))
def test_a_longer_outage_or_a_shorter_queue_never_saves_a_frame(
    down_s: float, more_s: float, rate_hz: float, work_s: float, capacity: int
) -> None:
    def lost(length_s: float, slots: int) -> int:
        flow = frame_flow(
            [[5.0]],
            [[5.0 + length_s]],
            duration_s=60.0,
            frame_rate_hz=rate_hz,
            inference_s=work_s,
            policy=ReadingPolicy.QUEUE,
            capacity=slots,
        )
        return int(flow.outage_lost[0, 0])

    assert lost(down_s, capacity) <= lost(down_s + more_s, capacity)
    assert lost(down_s, capacity + 1) <= lost(down_s, capacity)


def test_reading_the_newest_frame_loses_all_but_one_frame_of_an_outage() -> None:
    flow = frame_flow(
        [[10.05]], [[11.05]], duration_s=60.0, frame_rate_hz=10.0, inference_s=0.025, policy=ReadingPolicy.NEWEST
    )
    assert (flow.outage_arrived[0, 0], flow.outage_lost[0, 0], flow.lost[0]) == (10, 9, 9)


def test_a_deep_queue_loses_nothing_in_twelve_seconds_and_catches_up_as_a_fluid_would() -> None:
    flow = frame_flow(
        [[20.0]],
        [[32.0]],
        duration_s=200.0,
        frame_rate_hz=5.0,
        inference_s=0.1,
        policy=ReadingPolicy.QUEUE,
        capacity=100,
    )
    assert (flow.lost[0], flow.maximum_backlog[0, 0]) == (0, 60)
    fluid_s = catch_up_time(12.0, 5.0, 0.1)
    assert fluid_s == pytest.approx(12.0)
    assert flow.catch_up_s[0, 0] == pytest.approx(fluid_s, abs=0.2)


def test_a_service_slower_than_its_camera_never_catches_up_and_loses_the_difference() -> None:
    flow = frame_flow(
        [[50.0]], [[52.0]], duration_s=1000.0, frame_rate_hz=10.0, inference_s=0.2, policy=ReadingPolicy.NEWEST
    )
    assert flow.catch_up_s[0, 0] == NEVER
    assert flow.processed[0] == pytest.approx((1000 - 2) / 0.2, abs=2)
    assert catch_up_time([0.0, 2.0], 10.0, 0.2).tolist() == [0.0, NEVER]


def test_outages_that_overlap_count_once() -> None:
    def total(starts: list[float], ends: list[float]) -> tuple[int, int]:
        flow = frame_flow(
            [starts], [ends], duration_s=60.0, frame_rate_hz=10.0, inference_s=0.02, policy=ReadingPolicy.QUEUE
        )
        return int(flow.processed[0]), int(flow.outage_arrived.sum())

    assert total([10.0, 11.0, 11.5], [13.0, 12.0, 14.0]) == total([10.0], [14.0])
    assert total([10.0, 12.0], [12.0, 14.0]) == total([10.0], [14.0])


def test_services_are_independent_and_padding_changes_nothing() -> None:
    starts, ends = np.array([[3.0, np.nan], [4.0, 20.0]]), np.array([[5.0, np.nan], [9.0, 21.0]])
    rates, works = np.array([10.0, 25.0]), np.array([0.05, 0.06])
    both = frame_flow(
        starts, ends, duration_s=40.0, frame_rate_hz=rates, inference_s=works, policy=ReadingPolicy.QUEUE, capacity=9
    )
    alone = frame_flow(
        [[3.0]], [[5.0]], duration_s=40.0, frame_rate_hz=10.0, inference_s=0.05, policy=ReadingPolicy.QUEUE, capacity=9
    )
    assert both.lost[0] == alone.lost[0] == 11
    assert both.catch_up_s[0].tolist() == [alone.catch_up_s[0, 0], 0.0]
    assert both.maximum_backlog[0].tolist() == [9, 0]


def test_without_outages_a_fast_service_reads_every_frame() -> None:
    none = np.empty((3, 0))
    flow = frame_flow(none, none, duration_s=10.0, frame_rate_hz=30.0, inference_s=0.03, policy=ReadingPolicy.NEWEST)
    assert flow.lost.tolist() == [0, 0, 0]
    assert flow.arrived.tolist() == [300, 300, 300]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"starts_s": [1.0]}, "one shape"),
        ({"ends_s": [[0.5]]}, "must end after they start"),
        ({"starts_s": [[2.0, 1.0]], "ends_s": [[3.0, 4.0]]}, "in order"),
        ({"duration_s": 0.0}, "duration_s must be above 0 s"),
        ({"frame_rate_hz": 0.0}, "frame_rate_hz must be above 0"),
        ({"inference_s": [0.1, 0.1]}, "inference_s must be one number or one per service"),
        ({"capacity": 0}, "capacity must be at least 1 frame"),
    ],
)
def test_bad_input_is_named(change: dict[str, object], message: str) -> None:
    good: dict[str, object] = {
        "starts_s": [[1.0]],
        "ends_s": [[2.0]],
        "duration_s": 10.0,
        "frame_rate_hz": 10.0,
        "inference_s": 0.1,
        "policy": ReadingPolicy.QUEUE,
    }
    with pytest.raises(ValueError, match=message):
        frame_flow(**(good | change))  # type: ignore[arg-type]
