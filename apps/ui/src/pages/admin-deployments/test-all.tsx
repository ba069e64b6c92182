import { useQueryClient } from "@tanstack/react-query";
import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { RotateCw } from "lucide-react";
import { useState } from "react";
import { client } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { StatusDot } from "../../components/status-dot.tsx";
import { nameDeployment } from "../../format/name-deployment.ts";
import { plural } from "../../format/plural.ts";
import type { Deployment } from "./filter-deployments.ts";

interface Outcome {
  readonly deployment: Deployment;
  readonly ok: boolean;
  readonly text: string;
}

/** Tests all deployments, one at a time, and reports each result. */
export function TestAll({ deployments }: { readonly deployments: readonly Deployment[] }) {
  const queries = useQueryClient();
  const [outcomes, setOutcomes] = useState<readonly Outcome[] | null>(null);
  const [isBusy, setBusy] = useState(false);
  const callable = deployments.filter(({ group, status }) => !group.includes("*") && isServed(status));
  const run = async () => {
    setBusy(true);
    setOutcomes([]);
    const results: Outcome[] = [];
    for (const deployment of callable) {
      results.push(await testOne(deployment));
      setOutcomes([...results]);
    }
    setBusy(false);
    await queries.invalidateQueries({ queryKey: ["listDeployments"] });
  };
  const failed = outcomes?.filter(({ ok }) => !ok).length ?? 0;
  return (
    <>
      <Button
        icon={<RotateCw size={14} strokeWidth={1.5} />}
        busy={isBusy}
        isReasonShown
        disabledReason={callable.length === 0 ? "No deployments to test" : null}
        onClick={() => void run()}
      >
        Test all
      </Button>
      <Dialog
        title="Test all deployments"
        note={
          isBusy
            ? `${outcomes?.length ?? 0} of ${plural(callable.length, "deployment")} tested`
            : failed === 0
              ? "All deployments responded"
              : `${plural(failed, "deployment")} failed`
        }
        open={outcomes !== null}
        onClose={() => setOutcomes(null)}
        width={640}
      >
        <ul aria-live="polite" className="text-table">
          {outcomes?.map(({ deployment, ok, text }) => (
            <li
              key={deployment.id}
              className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 border-b border-hairline py-2 last:border-0"
            >
              <span className="min-w-0 truncate">
                <span className="font-medium">{deployment.group}</span>{" "}
                <span className="text-muted">{nameDeployment(deployment)}</span>
              </span>
              <StatusDot shape={ok ? "ok" : "bad"}>{ok ? text : "failed"}</StatusDot>
              {!ok && <span className="col-span-2 text-meta text-muted wrap-anywhere">{text}</span>}
            </li>
          ))}
        </ul>
      </Dialog>
    </>
  );
}

async function testOne(deployment: Deployment): Promise<Outcome> {
  try {
    const { ok, message, latencyMs } = await client.call("testDeployment", { params: { id: deployment.id } });
    return { deployment, ok, text: ok ? formatDuration(latencyMs) : message };
  } catch (error) {
    return { deployment, ok: false, text: (error as Error).message };
  }
}

function isServed(status: Deployment["status"]): boolean {
  return status !== "disabled" && status !== "unusable";
}
