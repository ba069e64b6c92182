"""Event loop shared by all asynchronous functions, so that they can reuse resources between calls."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Awaitable

from ..jobs.job import Job


class AsyncLoop:
    """Event loop thread that starts with the first asynchronous call and ends with the process."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="participant-loop", daemon=True).start()

    def run(self, awaitable: Awaitable[Any], job: Job) -> Any:
        """Wait for the result in the calling thread. If the job's signal is set, cancel the task."""
        return asyncio.run_coroutine_threadsafe(self._supervise(awaitable, job), self._loop).result()

    async def _supervise(self, awaitable: Awaitable[Any], job: Job) -> Any:
        task = asyncio.current_task()

        def cancel() -> None:
            if task is not None:
                self._loop.call_soon_threadsafe(task.cancel)

        job.on_signal = cancel
        if job.signal.is_set():
            raise asyncio.CancelledError
        try:
            return await awaitable
        except (SystemExit, KeyboardInterrupt) as error:
            # Either exception would stop the loop for all later calls.
            raise RuntimeError(f"the function raised {type(error).__name__}") from error
        finally:
            job.on_signal = None
