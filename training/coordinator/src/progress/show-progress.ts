import type { RunEvent } from "../run-events.ts";
import { cleanText } from "./clean-text.ts";
import { LiveTable } from "./live-table.ts";
import type { Paint } from "./paint.ts";
import { roundLine, roundTitles, runHeading } from "./run-lines.ts";

/** Output for progress. */
interface Screen {
  write(text: string): unknown;
  /** Current terminal size; null if the output isn't a terminal. */
  readonly size: (() => { width: number; height: number }) | null;
}

export interface Progress {
  onEvent(event: RunEvent): void;
  /** Removes the live part from the screen. Text written afterward stays. */
  close(): void;
}

const REDRAW_MS = 80;

/** Shows one line per round. In a terminal, also shows the participants of the running round, redrawn in place. */
export function showProgress(screen: Screen, paint: Paint, { isLocal }: { isLocal: boolean }): Progress {
  const scores: number[] = [];
  const table = new LiveTable();
  let drawn = 0;
  const timer = screen.size === null ? null : setInterval(redraw, REDRAW_MS);
  timer?.unref();
  return {
    onEvent(event) {
      table.apply(event);
      for (const line of linesFor(event)) write(line);
    },
    close() {
      if (timer !== null) clearInterval(timer);
      erase();
    },
  };

  function linesFor(event: RunEvent): string[] {
    switch (event.type) {
      case "run.started":
        return [runHeading(event, isLocal), roundTitles(paint)];
      case "round.committed":
      case "round.rejected": {
        const line = roundLine(event, scores, paint);
        if (event.accuracy !== null) scores.push(event.accuracy);
        return event.type === "round.committed"
          ? [line]
          : [`${line}   ${paint.warn(`rejected: ${cleanText(event.reason)}`)}`];
      }
      case "round.failed": {
        // The reason for the last failed attempt is printed once, at the end.
        const words = event.retrying ? `failed: ${cleanText(event.reason)}; retrying once` : "failed again";
        return [`  ${String(event.round).padEnd(6)} ${paint.bad(words)}`];
      }
      default:
        return [];
    }
  }

  function write(line: string): void {
    erase();
    screen.write(`${line}\n`);
  }

  function erase(): void {
    if (drawn > 0) screen.write(`\u001b[${drawn}A\u001b[J`);
    drawn = 0;
  }

  function redraw(): void {
    const size = screen.size?.() ?? { width: 80, height: 24 };
    const lines = table.draw(Date.now(), { width: size.width - 1, height: size.height - 2 }, paint);
    const up = drawn > 0 ? `\u001b[${drawn}A\u001b[J` : "";
    drawn = lines.length === 0 ? 0 : lines.length + 1;
    screen.write(`${up}${lines.length === 0 ? "" : `\n${lines.join("\n")}\n`}`);
  }
}
