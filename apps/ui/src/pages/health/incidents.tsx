import { Link } from "@tanstack/react-router";
import { formatCount, formatShare } from "@tollgate/domain/figures/size-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { Badge } from "../../components/badge.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import { useZone } from "../../components/zone.ts";
import { formatClock, formatTime } from "../../format/time.ts";

type Incident = Operations["getDeploymentHealth"]["answer"]["incidents"][number];

/** Error bursts in the last day, with their start and end times. */
export function Incidents({ incidents }: { readonly incidents: readonly Incident[] }) {
  const zone = useZone();
  return (
    <Panel title="Incidents" note="error bursts in the last 24 hours" flush>
      {incidents.length === 0 ? (
        <p className="px-4 py-6 text-table text-muted">No incidents in the last 24 hours.</p>
      ) : (
        <ul>
          {incidents.map(({ from, to, group, provider, failed, requests, errorCode }) => (
            <li
              key={`${from} ${group} ${provider}`}
              className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-b border-hairline px-4 py-2 text-table last:border-0"
            >
              <Badge tone={to === null ? "danger" : "neutral"}>{to === null ? "ongoing" : "resolved"}</Badge>
              <span className="max-w-full truncate font-medium">{group}</span>
              <span className="text-muted">{provider}</span>
              <span>
                {formatCount(failed)} of {formatCount(requests)} failed (
                {formatShare(failed / Math.max(1, requests), 0)})
              </span>
              {errorCode !== null && <span className="font-mono text-meta">{errorCode}</span>}
              <span className="ml-auto flex items-baseline gap-3 text-meta text-muted">
                <span>
                  <Time at={from} form="minute" />
                  {to !== null && (
                    <>
                      {" to "}
                      {isSameDay(from, to, zone) ? formatClock(to, zone).slice(0, 5) : <Time at={to} form="minute" />}
                    </>
                  )}
                </span>
                <Link
                  to="/logs"
                  search={{ model: [group], class: ["failed"], range: "24h" }}
                  className="text-accent hover:underline"
                >
                  Logs
                </Link>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function isSameDay(from: string, to: string, zone: string): boolean {
  return formatTime(from, "day", zone) === formatTime(to, "day", zone);
}
