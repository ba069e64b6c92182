import { formatLimitValue } from "@tollgate/domain/figures/limit-text.ts";
import { OctagonMinus } from "lucide-react";
import type { ReactNode } from "react";
import { Time } from "./time.tsx";
import { webAddress } from "./web-address.ts";

/** The reason why a request was refused or rejected, and how to fix the problem. */
export interface Refusal {
  /** Defaults to a refusal. */
  readonly outcome?: "refused" | "rejected";
  /** The invalid field of the request. */
  readonly param?: string | null;
  /** The model that the client asked for, if there is none with this name. */
  readonly requestedModel?: string | null;
  readonly code: string;
  readonly message: string;
  readonly limit: {
    readonly kind: string;
    readonly ownerType: string;
    readonly ownerName: string;
    readonly current: string;
    readonly maximum: string;
    readonly resetsAt: string | null;
  } | null;
  readonly fix: string | null;
  readonly docUrl: string | null;
}

/** Explains a refusal: the limit, its owner, its usage, when it resets, and what to do. */
export function RefusalCard({ refusal, actions }: { readonly refusal: Refusal; readonly actions?: ReactNode }) {
  const { code, message, limit, fix } = refusal;
  const address = webAddress(refusal.docUrl);
  const title = `Why was this request ${refusal.outcome ?? "refused"}?`;
  const { param = null, requestedModel = null } = refusal;
  return (
    <section
      aria-label={title}
      className="flex gap-2.5 rounded-control border border-warning-line bg-warning-soft px-3 py-2.5 text-table"
    >
      <OctagonMinus size={16} strokeWidth={1.5} aria-hidden="true" className="mt-0.5 shrink-0 text-warning" />
      <div className="grid min-w-0 flex-1 gap-2">
        <div>
          <h3 className="font-semibold">{title}</h3>
          <p className="wrap-anywhere">
            {message} {fix}
          </p>
        </div>
        {limit !== null && (
          <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-meta sm:grid-cols-4 sm:[&>div]:block [&>div]:contents">
            <Fact name="Limit">{limit.kind.replaceAll("_", " ")}</Fact>
            <Fact name={limit.ownerType.replaceAll("_", " ")}>{limit.ownerName}</Fact>
            <Fact name="Used">
              {formatLimitValue(limit.kind, limit.current)} of {formatLimitValue(limit.kind, limit.maximum)}
            </Fact>
            <Fact name="Resets">{limit.resetsAt === null ? "Never" : <Time at={limit.resetsAt} form="minute" />}</Fact>
          </dl>
        )}
        {(param !== null || requestedModel !== null) && (
          <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-meta sm:grid-cols-4 sm:[&>div]:block [&>div]:contents">
            {param !== null && <Fact name="Field">{param}</Fact>}
            {requestedModel !== null && <Fact name="Requested model">{requestedModel}</Fact>}
          </dl>
        )}
        <div className="flex flex-wrap items-center gap-2">
          {actions}
          {address === null ? (
            <code className="font-mono text-meta text-muted">{code}</code>
          ) : (
            <a href={address} rel="noreferrer" className="text-meta text-accent hover:underline">
              About {code}
            </a>
          )}
        </div>
      </div>
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="text-muted first-letter:uppercase">{name}</dt>
      <dd className="font-medium wrap-anywhere">{children}</dd>
    </div>
  );
}
