import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { ArrowLeftRight, ArrowRight, Check, Minus, OctagonMinus, X } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "./badge.tsx";

/** `next`: would be called. `fallback`: called only if all earlier steps fail. */
export type RouteOutcome = "served" | "passed" | "failed" | "skipped" | "next" | "fallback" | "refused";

export interface RouteStep {
  readonly outcome: RouteOutcome;
  readonly name: ReactNode;
  /** HTTP status of the response, if there was one. */
  readonly status?: number | null;
  /** Shown after the name, such as "overloaded" or "served". */
  readonly note?: ReactNode;
  /** The reason, shown under the name. */
  readonly detail?: ReactNode;
  readonly durationMs?: number | null;
}

const glyphs = {
  served: { Glyph: Check, tone: "text-success", word: "Served" },
  passed: { Glyph: Check, tone: "text-success", word: "Passed" },
  failed: { Glyph: X, tone: "text-danger", word: "Failed" },
  skipped: { Glyph: Minus, tone: "text-muted", word: "Skipped" },
  next: { Glyph: ArrowRight, tone: "text-accent", word: "Next" },
  fallback: { Glyph: ArrowLeftRight, tone: "text-muted", word: "Fallback" },
  refused: { Glyph: OctagonMinus, tone: "text-danger", word: "Refused" },
} as const;

/** Steps of a request's route in order: what was tried, why, and the result. */
export function RouteList({ steps }: { readonly steps: readonly RouteStep[] }) {
  return (
    <ol className="text-table">
      {steps.map(({ outcome, name, status = null, note, detail, durationMs = null }, index) => {
        const { Glyph, tone, word } = glyphs[outcome];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its position
          <li key={index} className="group relative pb-3 pl-6 last:pb-0">
            <span
              aria-hidden="true"
              className="absolute top-[18px] -bottom-0.5 left-[7px] w-px bg-axis group-last:hidden"
            />
            <Glyph
              size={16}
              strokeWidth={1.5}
              aria-label={word}
              className={`absolute top-0.5 left-0 bg-surface ${tone}`}
            />
            <div className="flex flex-wrap items-center gap-x-2">
              <span className="font-medium wrap-anywhere">{name}</span>
              {status !== null && (
                <Badge tone={status < 400 ? "success" : status < 500 ? "warning" : "danger"} mono>
                  {status}
                </Badge>
              )}
              {note !== undefined && <span className="text-meta text-muted">{note}</span>}
              {durationMs !== null && (
                <span className="ml-auto text-meta text-muted">{formatDuration(durationMs)}</span>
              )}
            </div>
            {detail !== undefined && <p className="text-meta text-muted">{detail}</p>}
          </li>
        );
      })}
    </ol>
  );
}
