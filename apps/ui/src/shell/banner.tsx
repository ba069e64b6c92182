import { Link } from "@tanstack/react-router";
import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { CircleAlert, Octagon } from "lucide-react";
import { useCall } from "../api/queries.ts";
import { useZone } from "../components/zone.ts";
import { formatRelative } from "../format/time.ts";

const LOW_DAYS = 7;

/** Returns the runway data that the banner depends on. Pages wait for this data too. */
export function useBurn() {
  return useCall("getBurnRate", {}, { staleMs: 30_000 });
}

/** Line under the top bar for the most important state: refused requests, then low credit. */
export function StateBanner() {
  const burn = useBurn().data?.burn;
  const zone = useZone();
  if (burn === undefined) return null;
  const { balance, daysLeft, blockedSince } = burn;
  if (blockedSince !== null) {
    return (
      <Line isDanger>
        <strong className="font-semibold">Requests are refused.</strong> The balance is {formatMoney(balance)}. Blocked{" "}
        {formatRelative(blockedSince, new Date(), zone)}.{" "}
        <Link to="/credits" className="font-medium underline">
          Add credits to unblock
        </Link>
      </Line>
    );
  }
  if (daysLeft === null || daysLeft >= LOW_DAYS) return null;
  return (
    <Line isDanger={false}>
      <strong className="font-semibold">Credit is low.</strong> {formatMoney(balance)} lasts about {daysLeft.toFixed(1)}{" "}
      days at the current burn rate.{" "}
      <Link to="/credits" className="font-medium underline">
        Add credits
      </Link>
    </Line>
  );
}

function Line({ isDanger, children }: { readonly isDanger: boolean; readonly children: React.ReactNode }) {
  const Icon = isDanger ? Octagon : CircleAlert;
  const colors = isDanger
    ? "border-danger-line bg-danger-soft text-danger"
    : "border-warning-line bg-warning-soft text-warning";
  return (
    <div
      role="status"
      className={`print:hidden flex shrink-0 items-start gap-2 border-b px-3 py-2 text-table sm:px-6 ${colors}`}
    >
      <Icon size={16} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0" />
      <p>{children}</p>
    </div>
  );
}
