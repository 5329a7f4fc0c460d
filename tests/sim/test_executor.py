"""Migrations carried out in simulated time: as predicted when nothing disturbs them, and what happens when it does."""

from collections.abc import Callable
from itertools import pairwise
from math import isnan

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simpy import Environment, Process

from pam import TABLE_III, MigrationPlan, MigrationRecord, MigrationState, MigrationTask, Objective, Phase, Strategy
from pam import evaluate as configure
from sim.executor import SimulatedExecutor
from sim.network import Link, Network
from sim.topology import Topology

GIGABIT = 1e9
RESUME_S, RESTART_S = 0.3, 5.0
# So dirty that every round is the worst case of the plan.
WORST_PAGES_PER_S = 1e12

STRATEGIES = st.sampled_from(list(Strategy))
STATES = st.floats(1e6, 5e8)
RATES = st.floats(0.0, 1.0)


def plan(
    strategy: Strategy,
    state_bytes: float = 1e8,
    rate: float = 0.5,
    bandwidth_bps: float = GIGABIT,
    iterations: int = 3,
    reserve: bool = True,
    source: str = "a",
) -> MigrationPlan:
    task = MigrationTask(
        service="autopilot",
        source=source,
        destination="b",
        objective=Objective.MINIMIZE_DOWNTIME,
        target_s=10.0,
        state_bytes=state_bytes,
        dirty_page_rate=rate,
        available_bandwidth_bps=bandwidth_bps,
        reserve=reserve,
    )
    return configure(task, strategy, bandwidth_bps, iterations if strategy is Strategy.ITERATIVE_PRE_COPY else 0)


class Stage:
    """Two servers a and b with one link between them, a third one linked to nobody, and the executor."""

    def __init__(self, pages_per_s: float = WORST_PAGES_PER_S, capacity_bps: float = GIGABIT) -> None:
        self.environment = Environment()
        self.resumed_s: list[float] = []
        self.network = Network(self.environment, [Link(hop, capacity_bps) for hop in (("a", "b"), ("b", "a"))])
        graph: nx.Graph[str] = nx.Graph([("a", "b", {"latency_s": 0.002})])
        graph.add_node("alone")
        self.executor = SimulatedExecutor(
            self.environment, self.network, Topology(graph), TABLE_III, lambda _: pages_per_s, RESUME_S, RESTART_S
        )

    def begin(self, planned: MigrationPlan) -> Process:
        """Reserve what the plan asks for, as the orchestrator does, and set out."""
        process = self.environment.process(self.executor.migrate(planned, self.note_resumed))
        if planned.task.reserve:
            reservation = self.network.reserve(self.network.path(("a", "b")), planned.bandwidth_bps)
            assert reservation
            process.callbacks.append(lambda _: self.network.release(reservation))
        return process

    def note_resumed(self) -> None:
        self.resumed_s.append(self.environment.now)

    def at(self, time_s: float, action: Callable[[], None]) -> None:
        self.environment.timeout(time_s).callbacks.append(lambda _: action())

    def cut_link_at(self, time_s: float) -> None:
        self.at(time_s, lambda: self.network.fail(("a", "b")))

    def assert_idle(self) -> None:
        assert not any(link.elastic or link.reserved or link.reserved_bps for link in self.network.links.values())

    def record(self, process: Process) -> MigrationRecord:
        self.environment.run()
        self.assert_idle()
        record = process.value
        assert isinstance(record, MigrationRecord)
        return record


def undisturbed(planned: MigrationPlan, pages_per_s: float = WORST_PAGES_PER_S) -> MigrationRecord:
    stage = Stage(pages_per_s, planned.bandwidth_bps)
    return stage.record(stage.begin(planned))


def middle_s(record: MigrationRecord, phase: Phase, round_number: int) -> float:
    """A time in the middle of the first such phase."""
    found = next(each for each in record.phases if (each.phase, each.round) == (phase, round_number))
    return found.started_s + found.duration_s / 2


def assert_consistent(record: MigrationRecord, lost_s: float = 0.0) -> None:
    """Phases follow each other without gap, from start to end, and the downtime is that of the silent ones."""
    assert all(phase.duration_s >= 0.0 for phase in record.phases)
    assert [phase.round for phase in record.phases] == sorted(phase.round for phase in record.phases)
    for before, after in pairwise(record.phases):
        assert after.started_s == pytest.approx(before.started_s + before.duration_s, abs=1e-9)
    if record.phases:
        assert record.phases[0].started_s == record.started_s
    assert sum(phase.duration_s for phase in record.phases) + lost_s == pytest.approx(record.duration_s, abs=1e-9)
    silent = [phase for phase in record.phases if phase.service_down]
    assert record.downtime_s == pytest.approx(sum(phase.duration_s for phase in silent) + lost_s, abs=1e-9)
    assert record.transferred_bytes == pytest.approx(sum(phase.transferred_bytes for phase in record.phases))
    if silent:
        assert record.down_from_s == pytest.approx(silent[0].started_s, abs=1e-9)


@given(STRATEGIES, STATES, RATES, st.floats(1e7, 1e10), st.integers(1, 6))
def test_alone_and_as_dirty_as_can_be_it_takes_exactly_what_is_predicted(
    strategy: Strategy, state_bytes: float, rate: float, bandwidth_bps: float, iterations: int
) -> None:
    planned = plan(strategy, state_bytes, rate, bandwidth_bps, iterations)
    record = undisturbed(planned)
    assert (record.state, record.runs_at, record.reason) == (MigrationState.COMPLETED, "b", "")
    assert record.downtime_s == pytest.approx(planned.predicted_downtime_s, rel=1e-9)
    assert record.duration_s == pytest.approx(planned.predicted_duration_s, rel=1e-9)
    assert record.transferred_bytes == pytest.approx(planned.predicted_bytes, rel=1e-9)
    assert [(phase.phase, phase.round) for phase in record.phases] == [(s.phase, s.round) for s in planned.steps]
    assert_consistent(record)


@given(STRATEGIES, STATES, RATES, st.floats(0.0, 3e4), st.integers(1, 6))
def test_no_dirtying_of_pages_makes_it_worse_than_predicted(
    strategy: Strategy, state_bytes: float, rate: float, pages_per_s: float, iterations: int
) -> None:
    planned = plan(strategy, state_bytes, rate, iterations=iterations)
    record = undisturbed(planned, pages_per_s)
    assert record.downtime_s <= planned.predicted_downtime_s * (1 + 1e-9)
    assert record.duration_s <= planned.predicted_duration_s * (1 + 1e-9)
    assert record.transferred_bytes <= planned.predicted_bytes * (1 + 1e-9)
    assert_consistent(record)


def test_a_service_that_rests_is_moved_with_less_downtime_than_a_busy_one() -> None:
    planned = plan(Strategy.ITERATIVE_PRE_COPY)
    assert undisturbed(planned, 0.0).downtime_s < undisturbed(planned).downtime_s - 0.05


@pytest.mark.parametrize("strategy", list(Strategy))
def test_it_tells_when_the_service_runs_at_the_destination_before_all_pages_are_there(strategy: Strategy) -> None:
    stage = Stage()
    record = stage.record(stage.begin(plan(strategy)))
    late = strategy in (Strategy.POST_COPY, Strategy.HYBRID)
    assert stage.resumed_s == ([pytest.approx(record.down_from_s + record.downtime_s)] if late else [])
    assert (record.ended_s > record.down_from_s + record.downtime_s + 0.3) is late


def test_without_reservation_two_migrations_share_the_link() -> None:
    stage = Stage()
    processes = [stage.begin(plan(Strategy.COLD, reserve=False)) for _ in range(2)]
    shared, alike = map(stage.record, processes)
    slower = plan(Strategy.COLD, bandwidth_bps=GIGABIT / 2)
    assert shared.duration_s == pytest.approx(slower.predicted_duration_s, rel=1e-9)
    assert alike.duration_s == shared.duration_s
    assert shared.duration_s > shared.plan.predicted_duration_s + 0.8


def test_a_reserved_migration_is_not_slowed_by_another() -> None:
    stage = Stage()
    reserved = stage.begin(plan(Strategy.PRE_COPY, bandwidth_bps=0.9 * GIGABIT))
    stage.begin(plan(Strategy.COLD, reserve=False))
    record = stage.record(reserved)
    assert record.duration_s == pytest.approx(record.plan.predicted_duration_s, rel=1e-9)


@pytest.mark.parametrize("strategy", [Strategy.PRE_COPY, Strategy.ITERATIVE_PRE_COPY, Strategy.HYBRID])
def test_a_link_that_fails_before_stop_and_copy_leaves_the_source_running(strategy: Strategy) -> None:
    stage = Stage()
    cut_s = middle_s(undisturbed(plan(strategy)), Phase.TRANSFER, 0)
    stage.cut_link_at(cut_s)
    record = stage.record(stage.begin(plan(strategy)))
    assert (record.state, record.runs_at) == (MigrationState.FAILED, "a")
    assert record.reason == "link failed in pre-copy, source went on"
    assert record.ended_s == pytest.approx(cut_s)
    assert record.downtime_s == 0.0
    assert isnan(record.down_from_s)
    assert record.transferred_bytes == pytest.approx(record.plan.steps[1].volume_bytes / 2)
    assert_consistent(record)


@pytest.mark.parametrize(
    ("strategy", "last_round"), [(Strategy.COLD, 1), (Strategy.ITERATIVE_PRE_COPY, 4), (Strategy.POST_COPY, 1)]
)
def test_a_link_that_fails_in_stop_and_copy_makes_the_source_resume(strategy: Strategy, last_round: int) -> None:
    stage = Stage()
    whole = undisturbed(plan(strategy))
    cut_s = middle_s(whole, Phase.TRANSFER, last_round)
    stage.cut_link_at(cut_s)
    record = stage.record(stage.begin(plan(strategy)))
    assert (record.state, record.runs_at) == (MigrationState.FAILED, "a")
    assert record.reason == "link failed in Stop&Copy, source resumed"
    assert record.ended_s == pytest.approx(cut_s + RESUME_S)
    assert record.down_from_s == pytest.approx(whole.down_from_s)
    assert record.downtime_s == pytest.approx(cut_s + RESUME_S - whole.down_from_s)
    assert_consistent(record, RESUME_S)


@pytest.mark.parametrize("strategy", [Strategy.POST_COPY, Strategy.HYBRID])
def test_a_link_that_fails_in_the_page_fault_phase_loses_the_state(strategy: Strategy) -> None:
    stage = Stage()
    whole = undisturbed(plan(strategy))
    cut_s = middle_s(whole, Phase.PAGE_FAULT, 1)
    stage.cut_link_at(cut_s)
    record = stage.record(stage.begin(plan(strategy)))
    assert (record.state, record.runs_at) == (MigrationState.FAILED, "b")
    assert record.reason == "link failed, state lost"
    assert record.ended_s == pytest.approx(cut_s + RESTART_S)
    assert record.downtime_s == pytest.approx(whole.downtime_s + RESTART_S)
    assert_consistent(record, RESTART_S)


def test_a_link_that_is_back_before_it_is_needed_does_no_harm() -> None:
    stage = Stage()
    whole = undisturbed(plan(Strategy.COLD))
    dump_s = whole.phases[0].duration_s
    stage.cut_link_at(0.2 * dump_s)
    stage.at(0.8 * dump_s, lambda: stage.network.repair(("a", "b")))
    record = stage.record(stage.begin(plan(Strategy.COLD)))
    assert record.state is MigrationState.COMPLETED
    assert record.duration_s == pytest.approx(whole.duration_s)


@pytest.mark.parametrize(
    ("phase", "round_number"), [(Phase.PRE_DUMP, 0), (Phase.TRANSFER, 0), (Phase.DUMP, 2), (Phase.TRANSFER, 3)]
)
@pytest.mark.parametrize("reserve", [True, False])
def test_an_interrupt_before_stop_and_copy_cancels_and_frees_the_link(
    phase: Phase, round_number: int, reserve: bool
) -> None:
    stage = Stage()
    planned = plan(Strategy.ITERATIVE_PRE_COPY, reserve=reserve)
    whole = undisturbed(planned)
    interrupt_s = middle_s(whole, phase, round_number)
    process = stage.begin(planned)
    stage.at(interrupt_s, process.interrupt)
    stage.environment.run(process)
    stage.assert_idle()
    record = stage.record(process)
    assert (record.state, record.runs_at) == (MigrationState.CANCELLED, "a")
    assert record.reason == "cancelled before Stop&Copy"
    assert record.ended_s == pytest.approx(interrupt_s)
    assert record.downtime_s == 0.0
    assert isnan(record.down_from_s)
    count = len(record.phases)
    assert (record.phases[-1].phase, record.phases[-1].round) == (phase, round_number)
    assert record.phases[:-1] == whole.phases[: count - 1]
    assert record.phases[-1].duration_s == pytest.approx(whole.phases[count - 1].duration_s / 2)
    assert record.phases[-1].transferred_bytes == pytest.approx(whole.phases[count - 1].transferred_bytes / 2)
    assert_consistent(record)


@pytest.mark.parametrize("strategy", list(Strategy))
def test_an_interrupt_from_stop_and_copy_on_is_ignored(strategy: Strategy) -> None:
    whole = undisturbed(plan(strategy))
    late = [phase for phase in whole.phases if phase.started_s >= whole.down_from_s]
    for phase in late:
        stage = Stage()
        process = stage.begin(plan(strategy))
        stage.at(phase.started_s + phase.duration_s / 2, process.interrupt)
        assert stage.record(process) == whole


@given(
    STRATEGIES,
    RATES,
    st.lists(st.tuples(st.floats(0, 12), st.sampled_from(["cut", "repair", "interrupt"])), max_size=4),
    st.booleans(),
)
def test_whatever_happens_one_instance_goes_on_and_the_record_adds_up(
    strategy: Strategy, rate: float, events: list[tuple[float, str]], reserve: bool
) -> None:
    stage = Stage(capacity_bps=GIGABIT / 4)
    process = stage.begin(plan(strategy, rate=rate, bandwidth_bps=GIGABIT / 4, reserve=reserve))

    def interrupt() -> None:
        if process.is_alive:
            process.interrupt()

    actions: dict[str, Callable[[], None]] = {
        "cut": lambda: stage.network.fail(("a", "b")),
        "repair": lambda: stage.network.repair(("a", "b")),
        "interrupt": interrupt,
    }
    for time_s, what in events:
        stage.at(time_s, actions[what])
    record = stage.record(process)
    lost_s = {"link failed in Stop&Copy, source resumed": RESUME_S, "link failed, state lost": RESTART_S}
    assert_consistent(record, lost_s.get(record.reason, 0.0))
    assert record.runs_at == ("b" if record.state is MigrationState.COMPLETED or "lost" in record.reason else "a")
    assert (record.downtime_s == 0.0) == isnan(record.down_from_s)
    assert record.transferred_bytes <= record.plan.predicted_bytes * (1 + 1e-9)


def test_without_a_path_it_fails_at_once() -> None:
    stage = Stage()
    record = stage.record(stage.begin(plan(Strategy.COLD, source="alone")))
    assert (record.state, record.runs_at) == (MigrationState.FAILED, "alone")
    assert record.reason == "no path from alone to b"
    assert (record.duration_s, record.downtime_s, record.transferred_bytes, record.phases) == (0.0, 0.0, 0.0, ())
