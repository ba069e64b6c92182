import { X } from "lucide-react";
import type { ReactNode } from "react";

type MatrixState = "ok" | "slow" | "failed" | "running" | "expected";

export interface MatrixCell {
  readonly state: MatrixState;
  /** Failure reason or duration. */
  readonly detail?: string | null;
}

export interface MatrixRow {
  readonly name: string;
  readonly note?: string | null;
  /** One cell per round. Rounds that have not run yet have no cell. */
  readonly cells: readonly MatrixCell[];
  /** Last accuracy, at the end of the row. */
  readonly figure?: string | null;
}

interface ParticipantMatrixProps {
  readonly rows: readonly MatrixRow[];
  readonly rounds: number;
}

const looks: Readonly<Record<MatrixState, string>> = {
  ok: "bg-s-gen/70",
  slow: "hatch-warning",
  failed: "inset-ring-[1.5px] inset-ring-danger text-danger bg-surface",
  running: "inset-ring-[1.5px] inset-ring-s-gen bg-surface",
  expected: "bg-hairline",
};

/** Participation and results by round. Readable without color: filled, hatched, crossed out, outlined, pale. */
export function ParticipantMatrix({ rows, rounds }: ParticipantMatrixProps) {
  const numbers = Array.from({ length: rounds }, (_, index) => index + 1);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section className="relative overflow-x-auto" tabIndex={0} aria-label="Participants by round">
      <table className="w-full border-separate border-spacing-x-[3px] border-spacing-y-[3px] text-meta">
        <thead className="text-muted">
          <tr>
            <th scope="col" className="sticky left-0 z-10 w-[200px] bg-surface text-left font-normal">
              <span className="sr-only">Participant</span>
            </th>
            {numbers.map((round) => (
              <th key={round} scope="col" className="min-w-[22px] text-center font-normal">
                {round}
              </th>
            ))}
            <th scope="col" className="w-[72px] pl-2 text-right font-normal">
              Accuracy
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, note, cells, figure }) => (
            <tr key={name}>
              <th scope="row" className="sticky left-0 z-10 bg-surface pr-2 text-left font-normal whitespace-nowrap">
                <span className="text-table font-medium">{name}</span>{" "}
                <span className="text-muted max-sm:hidden">{note}</span>
              </th>
              {numbers.map((round) => (
                <Cell key={round} round={round} cell={cells[round - 1] ?? { state: "expected" }} />
              ))}
              <td className="pl-2 text-right">{figure ?? "None"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell({ round, cell }: { readonly round: number; readonly cell: MatrixCell }) {
  const detail = cell.detail ?? null;
  const words = detail === null ? cell.state : `${cell.state}, ${detail}`;
  return (
    <td className="p-0" title={cell.state === "expected" ? undefined : `Round ${round}: ${words}`}>
      <MatrixSwatch state={cell.state} className="h-[22px] w-full" />
      <span className="sr-only">{words}</span>
    </td>
  );
}

function MatrixSwatch({ state, className }: { readonly state: MatrixState; readonly className: string }) {
  return (
    <span
      aria-hidden="true"
      className={`grid place-items-center rounded-[3px] forced-color-adjust-none ${looks[state]} ${className}`}
    >
      {state === "failed" && <X size={10} strokeWidth={2} />}
    </span>
  );
}

/** Legend for the cells. `slow` can be a more specific label, such as "slow, over 80 s". */
export function MatrixLegend({ slow = "slow" }: { readonly slow?: ReactNode }) {
  const entries: readonly (readonly [MatrixState, ReactNode])[] = [
    ["ok", "ok"],
    ["slow", slow],
    ["failed", "failed"],
    ["running", "running"],
  ];
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-meta text-muted">
      {entries.map(([state, word]) => (
        <li key={state} className="inline-flex items-center gap-1.5">
          <MatrixSwatch state={state} className="h-3 w-3.5" />
          {word}
        </li>
      ))}
    </ul>
  );
}
