import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { gatewayOf } from "../../api/gateway-of.ts";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Panel } from "../../components/panel.tsx";
import { Switch } from "../../components/switch.tsx";
import { useSettled } from "../../components/use-settled.ts";

interface TokenCounterProps {
  readonly keyId: string;
  /** Request body; null while it is invalid JSON. */
  readonly request: Readonly<Record<string, unknown>> | null;
}

/** Token count of the request, estimated while typing or counted by the provider on demand. */
export function TokenCounter({ keyId, request }: TokenCounterProps) {
  const [asksProvider, setAsksProvider] = useState(false);
  const written = useSettled(JSON.stringify(request === null ? null : countable(request)));
  const body = JSON.parse(written) as { readonly model: string } | null;
  const count = useQuery({
    queryKey: ["countTokens", keyId, asksProvider, written],
    queryFn: async ({ signal }) => {
      const path = `/utils/token_counter${asksProvider ? "?call_endpoint=true" : ""}`;
      return (await gatewayOf(keyId).request<TokenCount>("POST", path, { body: body ?? {}, signal })).data;
    },
    enabled: body !== null,
    retry: false,
    staleTime: 60_000,
  });
  return (
    <Panel
      title="Tokens"
      actions={<Switch label="Count with the provider" checked={asksProvider} onValue={setAsksProvider} />}
    >
      <div aria-live="polite">
        {body === null ? (
          <p className="text-table text-muted">To count tokens, add a model and messages, a prompt, or an input.</p>
        ) : count.isError ? (
          <ErrorNotice error={count.error} verb="count" what="The tokens" onRetry={() => void count.refetch()} />
        ) : count.data === undefined ? (
          <p className="text-table text-muted">Counting…</p>
        ) : (
          <dl className="flex flex-wrap gap-x-8 gap-y-2 text-meta">
            <div>
              <dt className="text-muted">Input tokens</dt>
              <dd className="text-figure font-semibold">{count.data.total_tokens.toLocaleString("en-US")}</dd>
            </div>
            <div>
              <dt className="text-muted">Model</dt>
              <dd className="text-table">{count.data.model_used}</dd>
            </div>
            <div>
              <dt className="text-muted">Tokenizer</dt>
              <dd className="text-table">{count.data.tokenizer_type}</dd>
            </div>
            {count.data.error_message !== null && (
              <div>
                <dt className="text-muted">Provider count failed</dt>
                <dd className="text-table">{count.data.error_message}</dd>
              </div>
            )}
          </dl>
        )}
      </div>
    </Panel>
  );
}

interface TokenCount {
  readonly total_tokens: number;
  readonly model_used: string;
  readonly tokenizer_type: string;
  readonly error_message: string | null;
}

/** Returns the part of a request whose tokens are counted, or null if the request has no such part. */
function countable({ model, messages, prompt, input, tools }: Readonly<Record<string, unknown>>): object | null {
  if (typeof model !== "string" || model === "") return null;
  if (Array.isArray(messages)) return { model, messages, ...(tools !== undefined && { tools }) };
  const text = prompt ?? input;
  return typeof text === "string" ? { model, prompt: text } : null;
}
