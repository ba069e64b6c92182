import type { Io } from "../io.ts";

const SPINNER_AFTER_MS = 400;
const BAR_AFTER_MS = 2000;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 80;
const BAR_WIDTH = 24;

/** In a terminal, shows a spinner after a delay while work is in progress. */
export async function whileWaiting<Result>(
  io: Io,
  text: string,
  isQuiet: boolean,
  work: Promise<Result>,
): Promise<Result> {
  if (isQuiet || io.stderr.isTTY !== true || io.env.TERM === "dumb") return work;
  let frame = 0;
  let ticking: NodeJS.Timeout | undefined;
  const waiting = setTimeout(() => {
    ticking = setInterval(() => io.stderr.write(`\r${FRAMES[frame++ % FRAMES.length]} ${text}`), FRAME_MS);
  }, SPINNER_AFTER_MS);
  try {
    return await work;
  } finally {
    clearTimeout(waiting);
    clearInterval(ticking);
    if (ticking !== undefined) io.stderr.write("\r\x1b[K");
  }
}

/** Shows the progress of a known amount of work: a bar in a terminal, otherwise one line per 10%. */
export class Progress {
  readonly #io: Io;
  readonly #text: string;
  readonly #total: number;
  readonly #isQuiet: boolean;
  readonly #startedAt = performance.now();
  #done = 0;
  #tenths = 0;
  #isShown = false;

  constructor(io: Io, text: string, total: number, isQuiet: boolean) {
    this.#io = io;
    this.#text = text;
    this.#total = total;
    this.#isQuiet = isQuiet;
  }

  /** Adds completed items. */
  add(count = 1): void {
    this.#done += count;
    if (this.#isQuiet || this.#total <= 0) return;
    const elapsedMs = performance.now() - this.#startedAt;
    if (elapsedMs < BAR_AFTER_MS) return;
    if (this.#io.stderr.isTTY === true && this.#io.env.TERM !== "dumb") this.#draw(elapsedMs);
    else this.#tell();
  }

  /** Removes the bar. */
  end(): void {
    if (this.#isShown) this.#io.stderr.write("\r\x1b[K");
    this.#isShown = false;
  }

  #draw(elapsedMs: number): void {
    const share = Math.min(1, this.#done / this.#total);
    const rate = this.#done / (elapsedMs / 1000);
    const left = Math.ceil((this.#total - this.#done) / Math.max(rate, 0.001));
    const bar = "█".repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, "░");
    this.#isShown = true;
    this.#io.stderr.write(
      `\r\x1b[K${this.#text} ${bar} ${this.#done}/${this.#total} · ${rate.toFixed(1)}/s · ${left} s left`,
    );
  }

  #tell(): void {
    const tenths = Math.floor((this.#done / this.#total) * 10);
    if (tenths <= this.#tenths) return;
    this.#tenths = tenths;
    this.#io.stderr.write(`${this.#text}: ${tenths * 10} % (${this.#done}/${this.#total})\n`);
  }
}
