import { Link } from "@tanstack/react-router";
import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { Share2, SquareTerminal } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { consolePath } from "../../base-path.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { CallStatus } from "../../components/call-columns.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { copyText } from "../../components/copy-text.ts";
import { DetailSection } from "../../components/detail-panel.tsx";
import { type Call, type CallDetail, pathOf } from "../../components/logged-call.ts";
import { Money } from "../../components/money.tsx";
import { RouteList } from "../../components/route-list.tsx";
import { routeSteps } from "../../components/route-steps.ts";
import { Time } from "../../components/time.tsx";
import { TimingBar } from "../../components/timing-bar.tsx";
import { useToast } from "../../components/toast.tsx";
import { Conversation } from "./conversation.tsx";
import { CostSection } from "./cost-section.tsx";
import { LimitsSection } from "./limits-section.tsx";
import { RefusalSection } from "./refusal-section.tsx";

/** All details of a request: refusal, timing and cost, route, and contents. */
export function CallSections({ log }: { readonly log: CallDetail }) {
  return (
    <>
      {log.refusal !== null && <RefusalSection log={log} refusal={log.refusal} />}
      <DetailSection
        title="Timing and cost"
        actions={
          <span className="text-meta text-muted">
            {log.latencyMs === 0 ? "<1 ms" : formatDuration(log.latencyMs)}{" "}
            <span className="ml-2 text-table font-semibold text-text">
              <Money nano={log.cost} />
            </span>
          </span>
        }
      >
        <TimingBar {...log} size="lg" />
      </DetailSection>
      <DetailSection title="Route" note={log.stream ? "streamed" : undefined}>
        <RouteList steps={routeSteps(shortened(log))} />
      </DetailSection>
      {log.class !== "refused" && <CostSection log={log} />}
      <LimitsSection log={log} />
      <Conversation log={log} />
    </>
  );
}

/** Request ID with its status code. */
export function CallTitle({ call }: { readonly call: Call }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <CallStatus call={call} />
      <span className="truncate font-mono text-body font-semibold">{call.requestId}</span>
      <CopyButton text={call.requestId} label="Copy request ID" iconOnly />
    </span>
  );
}

/** Time, endpoint, and key of a request. */
export function CallSubtitle({ call }: { readonly call: Call }) {
  const parts: readonly (readonly [string, ReactNode])[] = [
    ["time", <Time key="time" at={call.createdAt} form="millisecond" />],
    ["endpoint", `POST ${pathOf(call.endpoint)}`],
    [
      "key",
      <Fragment key="key">
        key{" "}
        <Link to="/keys/$keyId" params={{ keyId: call.apiKeyId }} className="font-medium text-text hover:underline">
          {call.apiKeyName ?? call.apiKeyId}
        </Link>
      </Fragment>,
    ],
    ...(call.teamName === null
      ? []
      : [
          [
            "team",
            <Fragment key="team">
              team <span className="font-medium text-text">{call.teamName}</span>
            </Fragment>,
          ] as const,
        ]),
    ...(call.endUser === null ? [] : [["user", `user ${call.endUser}`] as const]),
    ...(call.session === null
      ? []
      : [
          [
            "session",
            <Fragment key="session">
              session{" "}
              <Link
                to="/sessions/requests"
                search={{ session: call.session }}
                className="font-medium text-text hover:underline"
              >
                {call.session}
              </Link>
            </Fragment>,
          ] as const,
        ]),
  ];
  return (
    <span className="flex flex-wrap gap-x-3">
      {parts.map(([name, part]) => (
        <span key={name} className="wrap-anywhere">
          {part}
        </span>
      ))}
    </span>
  );
}

/** Buttons to replay the request and to copy its link. */
export function CallActions({ call }: { readonly call: Call }) {
  const toast = useToast();
  const share = () =>
    void copyText(new URL(`${consolePath}/logs/${call.id}`, window.location.href).href).then(
      () => toast.done("Link copied. Members of this organization can open it."),
      (error: unknown) => toast.failed(error, "Copying"),
    );
  return (
    <>
      {call.class !== "refused" && (
        <ButtonLink
          size="sm"
          to="/playground"
          search={{ replay: call.id }}
          icon={<SquareTerminal size={14} strokeWidth={1.5} aria-hidden />}
        >
          Replay
        </ButtonLink>
      )}
      <Button size="sm" icon={<Share2 size={14} strokeWidth={1.5} aria-hidden />} onClick={share}>
        Share
      </Button>
    </>
  );
}

/** Shortens the deployment ID and labels an unrecorded model, for display. */
function shortened(log: CallDetail): CallDetail {
  const deploymentId = log.route.deploymentId?.slice(0, 8) ?? null;
  return { ...log, model: log.model === "" ? "Not recorded" : log.model, route: { ...log.route, deploymentId } };
}
