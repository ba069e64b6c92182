"""The one event loop on which asynchronous functions run, so that what they share between calls stays usable."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Awaitable

from ..jobs.job import Job


class AsyncLoop:
    """Starts with the first call that needs it and ends with the process."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="participant-loop", daemon=True).start()

    def run(self, awaitable: Awaitable[Any], job: Job) -> Any:
        """Waits for the result in the calling thread. When the job's signal fires, the task is cancelled as well."""
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
            # Either would end the loop for every later call.
            raise RuntimeError(f"the function raised {type(error).__name__}") from error
        finally:
            job.on_signal = None
