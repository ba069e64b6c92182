import { useCall, useChange } from "../../api/queries.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";

/** Verifies the ledger on demand, with the same checks as `tollgate ledger verify`. */
export function LedgerCheckPanel() {
  const latest = useCall("getReconciliation");
  const verify = useChange("createReconciliation", { invalidates: ["getReconciliation"] });
  const report = verify.data ?? latest.data;
  return (
    <Panel
      title="Ledger"
      note={report === undefined ? undefined : <Time at={report.finishedAt} form="relative" />}
      actions={
        <Button size="sm" busy={verify.isPending} onClick={() => verify.mutate({})}>
          Verify ledger
        </Button>
      }
    >
      {verify.isPending && <p role="status">Recomputing every balance from its postings. This can take a minute.</p>}
      {!verify.isPending && report === undefined && <p className="text-muted">Not verified since startup.</p>}
      {!verify.isPending && report !== undefined && (
        <div className="grid gap-3">
          {!report.ok && (
            <Notice tone="danger" title="Ledger verification failed.">
              To list every difference, run <code className="font-mono">tollgate ledger verify</code> on the server.
            </Notice>
          )}
          <ul className="grid gap-x-6 gap-y-1 sm:grid-cols-2">
            {report.checks.map(({ id, title, ok, count, examples }) => (
              <li key={id} className="flex items-baseline gap-2 text-table">
                <Badge tone={ok ? "success" : "danger"}>{ok ? "passed" : `${count} failed`}</Badge>
                <span>
                  <span className="font-mono text-meta text-muted">{id}</span> {title}
                  {!ok && examples.length > 0 && (
                    <span className="block font-mono text-meta text-danger">{examples.join(", ")}</span>
                  )}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Panel>
  );
}
