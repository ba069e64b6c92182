import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import { Loaded } from "../../components/loaded.tsx";
import type { Listed, RunStep, ToolCall } from "./assistant-objects.ts";
import { useGateway } from "./use-gateway.ts";

interface RunStepsProps {
  readonly keyId: string;
  readonly threadId: string;
  readonly runId: string;
  /** Refetches when the status changes, because an active run adds steps. */
  readonly status: string;
}

/** Steps of a run, with function calls and their outputs. */
export function RunSteps({ keyId, threadId, runId, status }: RunStepsProps) {
  const path = `/v1/threads/${threadId}/runs/${runId}/steps?limit=100&order=asc`;
  const steps = useGateway<Listed<RunStep>>(keyId, path, { refetchMs: status === "in_progress" ? 10_000 : false });
  return (
    <Loaded query={steps} what="Run steps">
      {({ data }) =>
        data.length === 0 ? (
          <p className="text-meta text-muted">No steps yet.</p>
        ) : (
          <ol className="grid grid-cols-[minmax(0,1fr)] gap-2">
            {data.map((step) => (
              <li key={step.id} className="grid grid-cols-[minmax(0,1fr)] gap-1 border-l border-border pl-3 text-meta">
                <span className="flex gap-2">
                  <span className="font-medium">
                    {step.type === "message_creation" ? "Created a message" : "Called functions"}
                  </span>
                  <span className="text-muted">{step.status.replaceAll("_", " ")}</span>
                  {step.usage !== null && (
                    <span className="ml-auto text-muted">{formatCount(step.usage.total_tokens)} tokens</span>
                  )}
                </span>
                {step.last_error !== null && <span className="text-danger">{step.last_error.message}</span>}
                {step.step_details.tool_calls?.map((call) => (
                  <Call key={call.id} call={call} />
                ))}
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  );
}

function Call({ call }: { readonly call: ToolCall }) {
  const { name, arguments: input, output } = call.function ?? { name: call.type, arguments: "", output: null };
  return (
    <span className="grid grid-cols-[minmax(0,1fr)] rounded-control bg-sunken px-2 py-1 font-mono wrap-anywhere">
      <span>
        {name}({input})
      </span>
      <span className="text-muted">→ {output ?? "no output yet"}</span>
    </span>
  );
}
