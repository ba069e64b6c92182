/** Counts the responses in progress on a server and waits until all of them have finished. */
export class OngoingAnswers {
  /** Number of calls, including requests passed to mounted handlers. */
  calls = 0;
  /** Number of requests that are not calls. A drain also waits for their responses. */
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

  /** Waits for all responses to finish, and reports whether they finished within this time. */
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
