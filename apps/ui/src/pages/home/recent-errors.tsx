import { Link } from "@tanstack/react-router";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import { useCall } from "../../api/queries.ts";
import { ButtonLink } from "../../components/button.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";

const SHOWN = 5;

/** Errors from the last day by cause, most frequent first. */
export function RecentErrors() {
  const errors = useCall("listErrorCauses", {}, { staleMs: 30_000 });
  return (
    <Panel
      title="Recent errors"
      note="last 24 hours, by cause"
      flush
      actions={
        <ButtonLink
          to="/logs"
          search={{ class: ["failed", "refused", "rejected"], range: "24h" }}
          variant="ghost"
          size="sm"
        >
          View all
        </ButtonLink>
      }
    >
      <Loaded query={errors} what="Recent errors">
        {({ causes }) =>
          causes.length === 0 ? (
            <p className="px-4 py-6 text-table text-muted">No errors in the last 24 hours.</p>
          ) : (
            <ul>
              {causes.slice(0, SHOWN).map(({ errorCode, httpStatus, message, count, lastAt, lastRequestId, model }) => (
                <li
                  key={`${errorCode} ${httpStatus} ${model} ${message}`}
                  className="border-b border-hairline last:border-0"
                >
                  <Link
                    to="/logs/$callId"
                    params={{ callId: lastRequestId }}
                    className="grid grid-cols-[40px_minmax(0,1fr)] gap-x-2 px-4 py-2 hover:bg-hover"
                  >
                    <span className="font-semibold">{formatCount(count)}</span>
                    <span className="line-clamp-2" title={message}>
                      {message}
                    </span>
                    <span className="col-start-2 flex justify-between gap-2 text-meta text-muted">
                      <span className="truncate font-mono">
                        <span
                          className={
                            httpStatus >= 500 || httpStatus === 429 || httpStatus === 403
                              ? "text-danger"
                              : "text-warning"
                          }
                        >
                          {httpStatus}
                        </span>{" "}
                        {errorCode}
                      </span>
                      <Time at={lastAt} form="relative" />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}
