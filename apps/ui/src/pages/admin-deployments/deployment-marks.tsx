import { Database, FileText, SquareTerminal } from "lucide-react";
import { Badge } from "../../components/badge.tsx";
import { type DotShape, StatusDot } from "../../components/status-dot.tsx";
import { useNow } from "../../components/use-now.ts";
import { formatPerMillion, formatUsd } from "../../format/money.ts";
import type { Deployment } from "./filter-deployments.ts";

/** Source of a deployment: a line in a file, the database, or the environment. */
export function SourceBadge({ source: { kind, file, line } }: { readonly source: Deployment["source"] }) {
  const Glyph = kind === "file" ? FileText : kind === "database" ? Database : SquareTerminal;
  const name = file?.split("/").at(-1);
  return (
    <span title={file === null ? undefined : `${file}, line ${line}`}>
      <Badge mono icon={<Glyph strokeWidth={1.5} aria-hidden />}>
        {kind === "file" ? `${name}:${line}` : kind === "environment" ? "built in" : "database"}
      </Badge>
    </span>
  );
}

const dots: Readonly<Record<Deployment["status"], readonly [DotShape, string]>> = {
  healthy: ["ok", "Healthy"],
  cooling: ["warning", "In cooldown"],
  unhealthy: ["bad", "Unhealthy"],
  unusable: ["bad", "Unusable"],
  disabled: ["off", "Disabled"],
  unknown: ["off", "Unknown"],
};

/** Current status of a deployment, with the remaining cooldown. */
export function DeploymentHealth({ deployment }: { readonly deployment: Deployment }) {
  const { status, cooldownUntil } = deployment;
  const now = useNow();
  const [shape, word] = dots[status];
  const seconds = cooldownUntil === null ? 0 : Math.ceil((new Date(cooldownUntil).getTime() - now.getTime()) / 1_000);
  return (
    <StatusDot shape={shape}>
      {word}
      {status === "cooling" && seconds > 0 ? `, ${seconds} s` : null}
    </StatusDot>
  );
}

/** Price per million input and output tokens, or per another unit. */
export function DeploymentPrice({ deployment }: { readonly deployment: Deployment }) {
  const { priced, priceSource, pricing, stale } = deployment;
  if (!priced) return <Badge tone="warning">Unpriced</Badge>;
  return (
    <span className="inline-flex items-center gap-2">
      {pricing === null ? <span className="text-muted">varies by model</span> : describePricing(pricing)}
      {priceSource === "override" && <Badge>override</Badge>}
      {stale && <Badge tone="warning">stale</Badge>}
    </span>
  );
}

/** Formats prices in short form: $3.00, $15.00. */
export function describePricing(pricing: NonNullable<Deployment["pricing"]>): string {
  const { inputPerMillionTokens: input, outputPerMillionTokens: output } = pricing;
  if (pricing.perImage !== null) return `${formatShort(pricing.perImage)} per image`;
  if (pricing.perAudioSecond !== null) return `${formatShort(pricing.perAudioSecond)} per second`;
  if (pricing.perMillionCharacters !== null)
    return `${formatPerMillion(pricing.perMillionCharacters)} per 1M characters`;
  return `${formatPerMillion(input)}, ${formatPerMillion(output)}`;
}

function formatShort(nano: bigint): string {
  return formatUsd(nano, 9).replace(/0+$/, "").replace(/\.$/, "");
}
