import { formatBytes, formatCount } from "@tollgate/domain/figures/size-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { useCall } from "../../api/queries.ts";
import { CapMeter } from "../../components/cap-meter.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Panel } from "../../components/panel.tsx";

type Usage = Operations["getAssistantUsage"]["answer"]["assistants"];
type LimitUse = Usage["organization"];

const EVERY_MS = 10_000;

/** Queued runs, open streams, and stored bytes of the selected key and of the organization, with their limits. */
export function AssistantLimits({ keyId }: { readonly keyId: string }) {
  const query = keyId === "" ? {} : { apiKey: keyId };
  const usage = useCall("getAssistantUsage", { query }, { refetchMs: EVERY_MS });
  return (
    <Panel title="Limits">
      <Loaded query={usage} what="Limits">
        {({ assistants: { organization, apiKey, needsCredit } }) => (
          <div className="grid grid-cols-2 gap-x-8 gap-y-4 max-sm:grid-cols-1">
            {apiKey !== null && <Uses title="This key" use={apiKey} />}
            <Uses title="Organization" use={organization}>
              {needsCredit && <p className="mt-1 text-meta text-muted">Add credit to store more.</p>}
            </Uses>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

interface UsesProps {
  readonly title: string;
  readonly use: LimitUse;
  readonly children?: React.ReactNode;
}

function Uses({ title, use: { queuedRuns, openStreams, storedBytes }, children }: UsesProps) {
  return (
    <section aria-label={title}>
      <h3 className="text-meta text-muted">{title}</h3>
      <dl className="mt-2 grid gap-2 text-table">
        <Use label="Queued runs" use={formatCount(queuedRuns.current)} most={formatCount(queuedRuns.maximum)} />
        <Use
          label="Open streams"
          use={formatCount(openStreams.current)}
          most={`${formatCount(openStreams.maximumPerGateway)} per gateway`}
        />
        <Use label="Stored" use={formatBytes(storedBytes.current)} most={formatBytes(storedBytes.maximum)} />
      </dl>
      <CapMeter share={share(storedBytes)} className="mt-1.5" />
      {children}
    </section>
  );
}

function Use({ label, use, most }: { readonly label: string; readonly use: string; readonly most: string }) {
  return (
    <div className="flex justify-between gap-3">
      <dt>{label}</dt>
      <dd>
        <strong className="font-semibold">{use}</strong> <span className="text-muted">of {most}</span>
      </dd>
    </div>
  );
}

function share({ current, maximum }: LimitUse["storedBytes"]): number {
  return current >= maximum ? 1 : current / maximum;
}
