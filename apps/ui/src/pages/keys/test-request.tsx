import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { Check, Play, X } from "lucide-react";
import { client } from "../../api/client.ts";
import { gatewayOf } from "../../api/gateway-of.ts";
import { Button } from "../../components/button.tsx";
import { Select } from "../../components/select.tsx";
import { TimingBar } from "../../components/timing-bar.tsx";

type Log = Operations["getLog"]["answer"]["log"];

interface TestRequestProps {
  readonly keyId: string;
  readonly models: readonly string[];
  readonly model: string;
  readonly onModel: (model: string) => void;
}

/** Sends a test request with the key through the console, and shows its timing and cost. */
export function TestRequest({ keyId, models, model, onModel }: TestRequestProps) {
  const test = useMutation({ mutationFn: () => sendTest(keyId, model) });
  return (
    <section aria-label="Test request" className="grid gap-3 rounded-control border border-border px-3 py-2.5">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-2 text-table">
        <div role="status" className="flex min-w-0 grow flex-wrap items-center gap-x-2">
          <Outcome log={test.data ?? null} error={test.error} />
        </div>
        {models.length > 1 && (
          <div className="w-44 max-sm:w-full">
            <Select
              label="Test model"
              value={model}
              onValue={onModel}
              options={models.map((id) => ({ value: id, label: id }))}
            />
          </div>
        )}
        <Button
          busy={test.isPending}
          icon={<Play size={14} strokeWidth={1.5} aria-hidden />}
          onClick={() => test.mutate()}
        >
          {test.data === undefined ? "Send test request" : "Send again"}
        </Button>
      </div>
      {test.data !== undefined && (
        <div className="grid gap-1.5">
          <TimingBar {...test.data} size="md" />
          <Link
            to="/logs/$callId"
            params={{ callId: test.data.id }}
            className="justify-self-end font-mono text-meta text-accent hover:underline"
          >
            {test.data.requestId}
          </Link>
        </div>
      )}
    </section>
  );
}

function Outcome({ log, error }: { readonly log: Log | null; readonly error: Error | null }) {
  if (error !== null) {
    return (
      <>
        <X size={16} strokeWidth={1.5} aria-hidden className="flex-none text-danger" />
        <span className="min-w-0 wrap-anywhere">{error.message}</span>
      </>
    );
  }
  if (log === null) return <span className="text-muted">Check that the key works.</span>;
  return (
    <>
      <Check size={16} strokeWidth={1.5} aria-hidden className="flex-none text-success" />
      <span className="font-medium">Test request succeeded</span>
      <span className="text-muted">
        served by {log.model} in {formatDuration(log.latencyMs)}, {formatMoney(log.cost)}
      </span>
    </>
  );
}

async function sendTest(keyId: string, model: string): Promise<Log> {
  const { facts } = await gatewayOf(keyId).chat({
    model,
    max_tokens: 32,
    messages: [{ role: "user", content: "Say hello in one short sentence." }],
  });
  if (facts.callId === null)
    throw new Error("The request succeeded, but the response has no request ID. Find the request in Logs.");
  return findLog(facts.callId);
}

const TRIES = 12;
const PAUSE_MS = 400;

/** Finds the log entry for a request, retrying because the entry can take up to two seconds to appear. */
async function findLog(callId: string): Promise<Log> {
  for (let tries = 1; ; tries += 1) {
    const found = await client.call("listLogs", { query: { requestId: [callId], pageSize: 1 } });
    const [call] = found.data;
    if (call !== undefined) return (await client.call("getLog", { params: { id: call.id } })).log;
    if (tries === TRIES) throw new Error("The request succeeded but isn't in the logs yet. Check Logs in a moment.");
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
