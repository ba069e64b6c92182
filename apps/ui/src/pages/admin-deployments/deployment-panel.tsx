import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { DeploymentHealth } from "../../components/deployment-health.tsx";
import { DetailPanel, DetailSection } from "../../components/detail-panel.tsx";
import { Notice } from "../../components/notice.tsx";
import { nameDeployment } from "../../format/name-deployment.ts";
import { DeploymentPrice, SourceBadge } from "./deployment-marks.tsx";
import type { Deployment } from "./filter-deployments.ts";
import { TestCall } from "./test-call.tsx";

interface DeploymentPanelProps {
  readonly deployment: Deployment;
  readonly onClose: () => void;
  readonly onEdit: () => void;
  readonly onCopy: () => void;
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
}

/** Details of a deployment: routing, prices, and a test request. */
export function DeploymentPanel(props: DeploymentPanelProps) {
  const { deployment, onClose, onEdit, onCopy, onPrevious, onNext } = props;
  const { source, editable, group } = deployment;
  const isPattern = group.includes("*");
  return (
    <DetailPanel
      title={nameDeployment(deployment)}
      subtitle={`serves ${group}`}
      onClose={onClose}
      onPrevious={onPrevious}
      onNext={onNext}
      footer={
        editable ? (
          <Button variant="primary" onClick={onEdit}>
            Edit
          </Button>
        ) : (
          <Button
            variant="primary"
            onClick={onCopy}
            disabledReason={
              isPattern ? "Patterns can't be copied because a database deployment serves a single model" : null
            }
          >
            Copy to database
          </Button>
        )
      }
    >
      {!editable && (
        <div className="px-5 pt-4 max-sm:px-4">
          <Notice tone="neutral">
            {source.kind === "file"
              ? `Defined in ${source.file}, line ${source.line}. The file takes precedence. Change it there, or copy it to the database to edit it here.`
              : "This deployment is part of development mode and can't be changed here."}
          </Notice>
        </div>
      )}
      <DetailSection title="Configuration">
        <Facts deployment={deployment} />
      </DetailSection>
      <Params params={deployment.params} />
      <DetailSection title="Test request">
        {isPattern ? (
          <p className="text-table text-muted">
            Patterns can't be tested directly. Send a request to a model that the pattern matches.
          </p>
        ) : (
          <TestCall key={deployment.id} id={deployment.id} />
        )}
      </DetailSection>
    </DetailPanel>
  );
}

function Facts({ deployment }: { readonly deployment: Deployment }) {
  const { id, provider, model, apiBase, credential, weight, order, rpm, tpm, mode, tags, source } = deployment;
  return (
    <dl className="grid grid-cols-[120px_minmax(0,1fr)] gap-x-3 gap-y-2 text-table [&_dt]:text-muted">
      <dt>Health</dt>
      <dd>
        <DeploymentHealth deployment={deployment} />
      </dd>
      <dt>Provider</dt>
      <dd>{provider}</dd>
      <dt>Provider model ID</dt>
      <dd className="font-mono text-meta wrap-anywhere">{model}</dd>
      <dt>Base URL</dt>
      <dd className="wrap-anywhere">{apiBase ?? <span className="text-muted">provider default</span>}</dd>
      <dt>Credential</dt>
      <dd>{credential === "not set" ? <Badge tone="warning">not set</Badge> : credential}</dd>
      <dt>In / out per 1M</dt>
      <dd>
        <DeploymentPrice deployment={deployment} />
      </dd>
      <dt>Mode</dt>
      <dd>{mode ?? "any"}</dd>
      <dt>Weight</dt>
      <dd>{weight ?? "equal"}</dd>
      {order !== null && (
        <>
          <dt>Order</dt>
          <dd>{order}</dd>
        </>
      )}
      <dt>Limits</dt>
      <dd>{limitsOf(rpm, tpm)}</dd>
      {tags.length > 0 && (
        <>
          <dt>Tags</dt>
          <dd>{tags.join(", ")}</dd>
        </>
      )}
      <dt>Source</dt>
      <dd>
        <SourceBadge source={source} />
      </dd>
      <dt>ID</dt>
      <dd className="flex min-w-0 items-center gap-1">
        <span className="truncate font-mono text-meta">{id}</span>
        <CopyButton text={id} label="Copy ID" iconOnly />
      </dd>
    </dl>
  );
}

function Params({ params }: { readonly params: Deployment["params"] }) {
  const entries = Object.entries(params).filter(([name]) => name !== "model");
  if (entries.length === 0) return null;
  return (
    <DetailSection title="Parameters">
      <dl className="grid grid-cols-[minmax(120px,auto)_minmax(0,1fr)] gap-x-3 gap-y-1 font-mono text-meta">
        {entries.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted wrap-anywhere">{name}</dt>
            <dd className="wrap-anywhere">{typeof value === "string" ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
    </DetailSection>
  );
}

function limitsOf(rpm: number | null, tpm: number | null): string {
  const parts = [
    rpm === null ? null : `${formatCount(rpm)} requests per minute`,
    tpm === null ? null : `${formatCount(tpm)} tokens per minute`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? "None" : parts.join(", ");
}
