"""Rows of the result tables, written while a run goes on."""

from pam.migration import MigrationRecord, MigrationState, Objective, Phase, Strategy
from sim.tables import Names, Table, index_of

_STRATEGIES = index_of(tuple(Strategy))
_OBJECTIVES = index_of(tuple(Objective))
_STATES = index_of(tuple(MigrationState))
_PHASES = index_of(tuple(Phase))


class Recorder:
    """The tables that grow event by event."""

    def __init__(self, names: Names) -> None:
        self.migrations = Table("migrations", names)
        self.phases = Table("phases", names)
        self.latency = Table("latency", names)

    def migration(
        self, uav: int, service: int, source: int, destination: int, requested_s: float, record: MigrationRecord
    ) -> None:
        """Write one migration and its phases."""
        number = len(self.migrations)
        plan = record.plan
        task = plan.task
        row = (
            number,
            uav,
            service,
            source,
            destination,
            _STRATEGIES[plan.strategy],
            _OBJECTIVES[task.objective],
            task.target_s,
            plan.feasible,
            plan.bandwidth_bps,
            task.reserve,
            plan.iterations,
            _STATES[record.state],
            requested_s,
            record.started_s,
            record.ended_s,
            record.down_from_s,
            record.downtime_s,
            record.ended_s - record.started_s,
            record.transferred_bytes,
            plan.predicted_downtime_s,
            plan.predicted_duration_s,
            plan.predicted_bytes,
            self.migrations.text(record.reason or plan.reason),
        )
        self.migrations.extend((row,))
        self.phases.extend(
            [
                (number, _PHASES[phase], round_number, started_s, duration_s, sent_bytes, down)
                for phase, round_number, started_s, duration_s, sent_bytes, down in record.phases
            ]
        )
