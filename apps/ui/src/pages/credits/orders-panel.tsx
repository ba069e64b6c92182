import { ChevronDown, ChevronRight } from "lucide-react";
import { useEffect, useRef } from "react";
import { useCall } from "../../api/queries.ts";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";
import { Pager } from "../../components/pager.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import { useZone } from "../../components/zone.ts";
import { OrderActions } from "./order-actions.tsx";
import { OrderDetail } from "./order-detail.tsx";
import { isOpenOrder, type Purchase, PurchaseState } from "./purchase-state.tsx";
import { useOrder } from "./use-order.ts";

const PAGE_SIZE = 10;
/** Polling interval for the list. The expanded order is polled more often. */
const LIST_MS = 15_000;

interface OrdersPanelProps {
  /** ID of the expanded order; empty if no order is expanded. */
  readonly open: string;
  readonly onOpen: (id: string) => void;
  readonly page: number;
  readonly onPage: (page: number) => void;
  /** Called with the dollar amount of an order to retry. */
  readonly onAgain: (amount: string) => void;
}

/** All orders with their progress. If an order isn't final, the user can check its payment. */
export function OrdersPanel({ open, onOpen, page, onPage, onAgain }: OrdersPanelProps) {
  const zone = useZone();
  const place = useRef<HTMLDivElement>(null);
  const orders = useCall("listPurchases", { query: { page, pageSize: PAGE_SIZE } }, { refetchMs: LIST_MS });
  const followed = useOrder(open);
  const cameFor = useRef(open);
  const hasOrders = orders.data !== undefined;
  // After returning from payment, scroll to the order instead of the top of the page.
  useEffect(() => {
    const frame = place.current?.closest("main");
    if (!hasOrders || cameFor.current === "" || frame == null || place.current === null) return;
    frame.scrollTo({ top: place.current.offsetTop - frame.offsetTop - 24 });
  }, [hasOrders]);
  const toggle = ({ id }: Purchase) => onOpen(id === open ? "" : id);
  const openCount = orders.data?.data.filter(isOpenOrder).length ?? 0;
  return (
    <div ref={place}>
      <Panel title="Orders" note={openCount === 0 ? undefined : `${openCount} open`} flush>
        <Loaded query={orders} what="The orders">
          {({ data, meta }) => (
            <DataTable
              label="Orders"
              rows={withFollowed(data, followed, page)}
              rowKey={({ id }) => id}
              openKey={open}
              onOpen={toggle}
              columns={columnsOf(zone, open, toggle, onAgain)}
              card={(purchase) => (
                <>
                  <span className="flex justify-between gap-3">
                    <span className="truncate font-mono text-meta">{purchase.id}</span>
                    <strong className="font-semibold">
                      <Money nano={purchase.amount} />
                    </strong>
                  </span>
                  <span className="flex items-center justify-between gap-3">
                    <PurchaseState purchase={purchase} />
                    <span className="shrink-0 text-meta text-muted">
                      <Time at={purchase.createdAt} form="relative" />
                    </span>
                  </span>
                  {purchase.id !== open && <OrderActions purchase={purchase} onAgain={onAgain} />}
                </>
              )}
              expanded={(purchase) =>
                purchase.id === open ? <OrderDetail purchase={purchase} onAgain={onAgain} /> : null
              }
              footer={meta.totalPages > 1 ? <Pager meta={meta} onPage={onPage} what="orders" /> : undefined}
              empty={
                <p className="px-4 py-6 text-table text-muted">
                  No orders yet. Orders appear here when you buy credits.
                </p>
              }
            />
          )}
        </Loaded>
      </Panel>
    </div>
  );
}

/**
 * Merges the latest state of the expanded order into the list. If the list doesn't include the order, the order is
 * added at the top of page 1.
 */
function withFollowed(rows: readonly Purchase[], followed: Purchase | null, page: number): readonly Purchase[] {
  if (followed === null) return rows;
  const has = rows.some(({ id }) => id === followed.id);
  if (!has) return page === 1 ? [followed, ...rows] : rows;
  return rows.map((row) => (row.id === followed.id ? followed : row));
}

function columnsOf(
  zone: string,
  open: string,
  toggle: (purchase: Purchase) => void,
  onAgain: (amount: string) => void,
): readonly Column<Purchase>[] {
  return [
    {
      id: "time",
      header: `Time (${zone})`,
      width: "190px",
      cell: (purchase) => {
        const isOpen = purchase.id === open;
        const Chevron = isOpen ? ChevronDown : ChevronRight;
        return (
          <span className="flex items-center gap-1.5">
            <button
              type="button"
              aria-expanded={isOpen}
              aria-label={`Timeline for ${purchase.id}`}
              onClick={() => toggle(purchase)}
              className="-ml-1 grid size-6 place-items-center rounded-[4px] text-muted hover:text-text"
            >
              <Chevron size={14} strokeWidth={1.5} aria-hidden />
            </button>
            <Time at={purchase.createdAt} form="minute" />
          </span>
        );
      },
    },
    {
      id: "order",
      header: "Order",
      priority: 2,
      cell: ({ id }) => (
        <span className="font-mono" title={id}>
          …{id.slice(-8)}
        </span>
      ),
    },
    {
      id: "by",
      header: "By",
      priority: 1,
      cell: ({ createdBy }) => <span className="block max-w-40 truncate">{createdBy.name ?? "Former member"}</span>,
    },
    { id: "state", header: "Status", cell: (purchase) => <PurchaseState purchase={purchase} /> },
    {
      id: "amount",
      header: "Amount",
      align: "right",
      cell: ({ amount }) => (
        <strong className="font-semibold">
          <Money nano={amount} />
        </strong>
      ),
    },
    {
      id: "actions",
      header: <span className="sr-only">Actions</span>,
      align: "right",
      cell: (purchase) => <OrderActions purchase={purchase} onAgain={onAgain} />,
    },
  ];
}
