/** The answers a server is at work on, and a way to wait until there are none. */
export class OngoingAnswers {
  /** Calls, and what is handed to others who answer for themselves. */
  calls = 0;
  /** The rest: pages that are no calls, for whose answers a drain waits too. */
  pages = 0;
  #onIdle: (() => void) | null = null;

  endCall(): void {
    this.calls -= 1;
    if (this.isIdle) this.#onIdle?.();
  }

  endPage(): void {
    this.pages -= 1;
    if (this.isIdle) this.#onIdle?.();
  }

  get isIdle(): boolean {
    return this.calls === 0 && this.pages === 0;
  }

  /** Whether there were none any more before that time was over. */
  idleWithin(limitMs: number): Promise<boolean> {
    if (this.isIdle) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), Math.max(0, limitMs));
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}
