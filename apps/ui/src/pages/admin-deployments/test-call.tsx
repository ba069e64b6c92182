import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { Play } from "lucide-react";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Notice } from "../../components/notice.tsx";
import { TimingBar } from "../../components/timing-bar.tsx";

type Test = Operations["testDeployment"]["answer"];

/** Real one-token request that isn't billed, with its timing. */
export function TestCall({ id, isAtOnce = false }: { readonly id: string; readonly isAtOnce?: boolean }) {
  const test = useChange("testDeployment", { invalidates: ["listDeployments"], isQuiet: true });
  const run = () => test.mutate({ params: { id } });
  return (
    <div className="grid gap-3" aria-live="polite">
      {test.isError && <ErrorNotice error={test.error} verb="test" what="The deployment" onRetry={run} />}
      {test.data !== undefined && <TestResult test={test.data} />}
      <div className="flex items-center gap-3">
        <Button
          icon={<Play size={14} strokeWidth={1.5} />}
          variant={isAtOnce && test.data === undefined ? "primary" : "secondary"}
          busy={test.isPending}
          onClick={run}
        >
          {test.data === undefined ? "Send test request" : "Test again"}
        </Button>
        <span className="text-meta text-muted">Generates one token. Free of charge.</span>
      </div>
    </div>
  );
}

function TestResult({ test: { ok, status, message, latencyMs, timing } }: { readonly test: Test }) {
  if (!ok) {
    return (
      <Notice tone="danger" title={status === null ? "No response." : `Status ${status}.`}>
        {message}
      </Notice>
    );
  }
  return (
    <>
      <p className="text-table">
        <span className="font-medium text-success">Responded</span> in {formatDuration(latencyMs)}
      </p>
      <TimingBar timing={timing} latencyMs={latencyMs} class="succeeded" size="lg" />
    </>
  );
}
