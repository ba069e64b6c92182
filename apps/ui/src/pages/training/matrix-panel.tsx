import { X } from "lucide-react";
import { useState } from "react";
import { Panel } from "../../components/panel.tsx";
import { MatrixLegend, ParticipantMatrix } from "../../components/participant-matrix.tsx";
import { failuresOf, matrixRows } from "./matrix-rows.ts";
import type { Run } from "./run-status.tsx";

/** Participation and results by round, with failures described below. */
export function MatrixPanel({ run }: { readonly run: Run }) {
  const [isWhole, setWhole] = useState(false);
  const failures = failuresOf(run);
  const warnings = run.rounds.flatMap(({ round, warnings: texts }) => texts.map((text) => ({ round, text })));
  const shown = isWhole ? failures : failures.slice(0, 1);
  return (
    <Panel
      title="Participants by round"
      actions={<MatrixLegend slow="slow (over twice the median)" />}
      footer={
        failures.length + warnings.length === 0 ? null : (
          <div className="flex w-full items-start gap-3">
            <ul className="grid min-w-0 flex-1 gap-1">
              {shown.map(({ round, id, reason }) => (
                <li key={`${round} ${id}`} className="flex items-start gap-2">
                  <X size={14} aria-hidden className="mt-px flex-none text-danger" />
                  <span className="wrap-anywhere">
                    Round {round}, <span className="font-medium text-text">{id}</span>: {reason}
                  </span>
                </li>
              ))}
              {isWhole &&
                warnings.map(({ round, text }) => (
                  <li key={`${round} ${text}`} className="wrap-anywhere">
                    Round {round}: {text}
                  </li>
                ))}
            </ul>
            {failures.length + warnings.length > 1 && (
              <button
                type="button"
                aria-expanded={isWhole}
                onClick={() => setWhole(!isWhole)}
                className="flex-none font-medium text-accent hover:underline"
              >
                {isWhole ? "Show latest" : `Show all ${failures.length + warnings.length}`}
              </button>
            )}
          </div>
        )
      }
    >
      <ParticipantMatrix rows={matrixRows(run)} rounds={run.roundsTotal} />
    </Panel>
  );
}
