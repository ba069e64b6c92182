import { useState } from "react";
import { useCall } from "../../api/queries.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Field } from "../../components/field.tsx";
import { NoMatches } from "../../components/no-matches.tsx";
import { QuickStart } from "../../components/quick-start.tsx";
import { Select } from "../../components/select.tsx";
import { SendFromHere } from "./send-from-here.tsx";

interface NoCallsProps {
  /** True if the organization has never sent a request. */
  readonly isUnused: boolean;
  readonly rangeLabel: string;
  readonly filters: readonly { readonly label: string; readonly onRemove: () => void }[];
  readonly onClear: () => void;
  readonly onWiden: () => void;
}

const SAMPLE_MODEL = "sim/echo";

/** Empty list: no matches, no requests in this range, or no requests ever. Each case suggests a different next step. */
export function NoCalls({ isUnused, rangeLabel, filters, onClear, onWiden }: NoCallsProps) {
  if (filters.length > 0) return <NoMatches what="requests" filters={filters} onClear={onClear} />;
  if (isUnused) return <FirstCall />;
  return (
    <EmptyState
      title={`No requests (${rangeLabel.toLowerCase()})`}
      action={<Button onClick={onWiden}>Show last 30 days</Button>}
    >
      Every request through this gateway appears here, including refusals, timeouts, and client disconnects.
    </EmptyState>
  );
}

function FirstCall() {
  const keys = useCall("listApiKeys", { query: { pageSize: 100, status: ["active"] } }, { staleMs: 10_000 });
  const [keyId, setKeyId] = useState<string | null>(null);
  const all = keys.data?.data ?? [];
  const chosen = all.find(({ id }) => id === keyId) ?? all[0];
  return (
    <div className="mx-auto grid max-w-[880px] grid-cols-[minmax(0,1fr)] gap-4 p-8 max-sm:p-4">
      <div>
        <h2 className="text-section font-semibold">No requests yet</h2>
        <p className="text-body text-muted">
          Every request through this gateway appears here, including refusals, timeouts, and client disconnects. Send
          your first one; the simulated model needs no provider API key.
        </p>
      </div>
      {keys.data !== undefined && chosen === undefined && (
        <ButtonLink to="/keys" search={{ create: "1" }} variant="primary" className="justify-self-start">
          Create a key first
        </ButtonLink>
      )}
      {chosen !== undefined && (
        <div className="flex flex-wrap items-end gap-2">
          <div className="min-w-0 grow">
            <Field label="Key">
              <Select
                label="Key"
                value={chosen.id}
                onValue={setKeyId}
                options={all.map(({ id, name, token }) => ({ value: id, label: name, note: token }))}
              />
            </Field>
          </div>
          <SendFromHere keyId={chosen.id} model={SAMPLE_MODEL} />
        </div>
      )}
      <QuickStart model={SAMPLE_MODEL} />
      <dl className="grid gap-4 border-t border-hairline pt-4 sm:grid-cols-3">
        <Hint title="Coming from OpenAI?">
          Change the base URL and API key in your SDK. No other code changes are needed.
        </Hint>
        <Hint title="Coming from LiteLLM?">
          Your <code className="font-mono">config.yaml</code> works unchanged.
        </Hint>
        <Hint title="Using the Assistants API?">Assistants, threads, and runs work with any model.</Hint>
      </dl>
    </div>
  );
}

function Hint({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-table font-medium">{title}</dt>
      <dd className="text-meta text-muted">{children}</dd>
    </div>
  );
}
