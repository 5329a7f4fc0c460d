"""Edge servers: what runs on them, what they can take, how long a request waits."""

from scenarios.edge import Server as ServerSettings

# Beyond this utilisation the mean wait of a queue tells nothing any more: the service is simply too slow.
_HIGHEST_UTILISATION = 0.99


class EdgeServer:
    """One edge server: cores, memory and migration slots, and what is taken of them."""

    __slots__ = ("busy_cores", "cores", "free_memory_bytes", "free_slots", "index", "name", "used_cores")

    def __init__(self, index: int, name: str, settings: ServerSettings) -> None:
        self.index = index
        self.name = name
        self.cores = settings.cores
        self.used_cores = 0.0
        self.busy_cores = 0.0
        self.free_memory_bytes = settings.memory_bytes
        self.free_slots = settings.concurrent_migrations

    def shortage(self, cores: float, memory_bytes: float) -> str:
        """Why a service of that size does not fit, or an empty string if it does."""
        if memory_bytes > self.free_memory_bytes:
            return f"server full: {self.name} has {self.free_memory_bytes:.4g} B of memory left of {memory_bytes:.4g} B"
        if cores > self.cores - self.used_cores + 1e-9:
            return f"server full: {self.name} has {self.cores - self.used_cores:.3g} cores left of {cores:.3g}"
        return ""

    def take(self, cores: float, memory_bytes: float) -> None:
        """Hold room for a service."""
        self.used_cores += cores
        self.free_memory_bytes -= memory_bytes

    def give(self, cores: float, memory_bytes: float) -> None:
        """Give the room of a service back."""
        self.used_cores -= cores
        self.free_memory_bytes += memory_bytes

    def queueing_s(self, processing_s: float) -> float:
        """Mean wait of a request for the CPU: M/D/1 at the server's utilisation (Kleinrock, *Queueing Systems*)."""
        utilisation = self.busy_cores / self.cores
        if not 0.0 < utilisation < _HIGHEST_UTILISATION:
            utilisation = _HIGHEST_UTILISATION if utilisation > 0.0 else 0.0
        return processing_s * utilisation / (2.0 * (1.0 - utilisation))
