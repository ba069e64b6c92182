import { Link } from "@tanstack/react-router";
import { useCall } from "../../api/queries.ts";
import { Notice } from "../../components/notice.tsx";
import { formatTotal } from "../../format/money.ts";
import { plural } from "../../format/numbers.ts";
import { type ApiKey, isAtCap, periodLabels } from "./api-key.ts";

const SHOWN = 3;

/** Notice about keys whose requests are refused because their cap is reached, with counts and fixes. */
export function AtCapNotice({ keys }: { readonly keys: readonly ApiKey[] }) {
  const spent = keys.filter((key) => key.status === "active" && isAtCap(key));
  const errors = useCall("listErrorCauses", {}, { enabled: spent.length > 0, staleMs: 60_000 });
  return spent.slice(0, SHOWN).map(({ id, name, budget }) => {
    if (budget === null) return null;
    const refused = (errors.data?.causes ?? [])
      .filter((cause) => cause.apiKeyId === id && cause.errorCode === "budget_exceeded")
      .reduce((sum, { count }) => sum + count, 0);
    return (
      <Notice key={id} tone="neutral">
        <strong className="font-semibold">{name}</strong> has reached its spend cap: {formatTotal(budget.spent)} of{" "}
        {formatTotal(budget.limit)} {periodLabels[budget.period]}.
        {refused > 0 && ` ${plural(refused, "request was", "requests were")} refused in the last 24 hours.`}{" "}
        <Link to="/logs" search={{ key: [id], status: ["refused"] }} className="text-accent underline">
          View refused requests
        </Link>{" "}
        or{" "}
        <Link to="/keys/$keyId" params={{ keyId: id }} search={{ tab: "settings" }} className="text-accent underline">
          raise the cap
        </Link>
        .
      </Notice>
    );
  });
}
