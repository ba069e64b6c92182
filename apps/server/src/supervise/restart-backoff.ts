const FIRST_RESTART_MS = 50;
const MAX_RESTART_MS = 5_000;
/** Running time after which a child counts as healthy, so that its next restart has the short initial delay. */
const HEALTHY_MS = 10_000;

/** Chooses the delay before a child is restarted: twice the previous delay for a child that keeps failing. */
export class RestartBackoff {
  #startedAtMs = 0;
  #delayMs = FIRST_RESTART_MS;

  /** Records that the child was started. */
  start(): void {
    this.#startedAtMs = performance.now();
  }

  /** Returns how long the child ran, and the delay before its next start. */
  exit(code: number | null): { readonly durationMs: number; readonly delayMs: number } {
    const durationMs = Math.round(performance.now() - this.#startedAtMs);
    // A child that exited on request counts as healthy, no matter how long it ran.
    const wasHealthy = code === 0 || durationMs > HEALTHY_MS;
    this.#delayMs = wasHealthy ? FIRST_RESTART_MS : Math.min(this.#delayMs * 2, MAX_RESTART_MS);
    return { durationMs, delayMs: this.#delayMs };
  }
}
