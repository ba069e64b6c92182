import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { Database, FileText, SquareTerminal } from "lucide-react";
import { Badge } from "../../components/badge.tsx";
import { formatPerMillion } from "../../format/money.ts";
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
  return formatExactMoney(nano).replace(/0+$/, "").replace(/\.$/, "");
}
