import type { MoneyPart, TimePart } from "./timing-segments.ts";
import { StripSwatch } from "./timing-swatch.tsx";

type Entry = readonly [TimePart | MoneyPart, string];

const times: readonly Entry[] = [
  ["gatewayBefore", "Gateway"],
  ["queue", "Queue"],
  ["failed", "Failed attempt"],
  ["firstToken", "First token"],
  ["generation", "Generation"],
];

const moneys: readonly Entry[] = [
  ["input", "Input"],
  ["cached", "Cached"],
  ["output", "Output"],
];

/** Legend for the timing bar, shown at the bottom of a list. Cost parts are included only if the bars show costs. */
export function TimingLegend({ withMoney = false }: { readonly withMoney?: boolean }) {
  return (
    <ul className="flex flex-wrap gap-x-3.5 gap-y-1 text-meta text-muted" aria-label="Timing legend">
      {(withMoney ? [...times, ...moneys] : times).map(([part, label]) => (
        <li key={part} className="inline-flex items-center gap-1.5 whitespace-nowrap">
          <StripSwatch part={part} />
          {label}
        </li>
      ))}
    </ul>
  );
}
