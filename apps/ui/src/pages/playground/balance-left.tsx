import { useCall } from "../../api/queries.ts";
import { Money } from "../../components/money.tsx";

/** Exact remaining balance, so that the cost of a single request is visible. */
export function BalanceLeft() {
  const burn = useCall("getBurnRate", {}, { staleMs: 10_000 });
  if (burn.data === undefined) return null;
  return (
    <footer className="mt-auto flex items-center justify-between border-t border-hairline px-4 py-2 text-meta text-muted">
      Remaining balance
      <span className="text-text">
        <Money nano={burn.data.burn.balance} form="exact" />
      </span>
    </footer>
  );
}
