import { Link } from "@tanstack/react-router";
import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { useCall } from "../../api/queries.ts";
import { Notice } from "../../components/notice.tsx";
import { plural } from "../../format/plural.ts";
import { type ApiKey, periodLabels } from "./api-key.ts";

const SHOWN = 3;

/** Notice about keys whose requests are refused because their cap is reached, with counts and fixes. */
export function AtCapNotice({ keys }: { readonly keys: readonly ApiKey[] }) {
  const spent = keys.filter(({ state }) => state === "cap_reached");
  const errors = useCall("listErrorCauses", {}, { enabled: spent.length > 0, staleMs: 60_000 });
  return spent.slice(0, SHOWN).map(({ id, name, budget }) => {
    if (budget === null) return null;
    const refused = (errors.data?.causes ?? [])
      .filter((cause) => cause.apiKeyId === id && cause.errorCode === "budget_exceeded")
      .reduce((sum, { count }) => sum + count, 0);
    return (
      <Notice key={id} tone="neutral">
        <strong className="font-semibold">{name}</strong> has reached its spend cap: {formatMoney(budget.spent)} of{" "}
        {formatMoney(budget.limit)} {periodLabels[budget.period]}.
        {refused > 0 && ` ${plural(refused, "request was", "requests were")} refused in the last 24 hours.`}{" "}
        <Link to="/logs" search={{ key: [id], class: ["refused"] }} className="text-accent underline">
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
