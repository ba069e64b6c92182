import { useParams } from "@tanstack/react-router";
import { Printer } from "lucide-react";
import type { ReactNode } from "react";
import { useConfig } from "../../api/config.ts";
import { useMe } from "../../api/me.ts";
import { useCall } from "../../api/queries.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import { webAddress } from "../../components/web-address.ts";
import { useZone } from "../../components/zone.ts";
import type { Purchase } from "./purchase-state.tsx";

/** Printable receipt: item, buyer, and amount. */
export function ReceiptPage() {
  const { purchaseId } = useParams({ strict: false }) as { purchaseId: string };
  const purchase = useCall("getPurchase", { params: { id: purchaseId } });
  return (
    <Page
      title="Receipt"
      action={
        <span className="flex gap-2 print:hidden">
          <ButtonLink to="/credits" search={{ order: purchaseId }}>
            Back to order
          </ButtonLink>
          <Button
            variant="primary"
            icon={<Printer size={16} strokeWidth={1.5} aria-hidden />}
            onClick={() => window.print()}
          >
            Print
          </Button>
        </span>
      }
    >
      <Loaded query={purchase} what="The receipt">
        {({ purchase: bought }) =>
          bought.paidAt === null ? (
            <Notice tone="warning" title="Not paid.">
              The receipt is available after the order is paid and credited.
            </Notice>
          ) : (
            <Sheet purchase={bought} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Sheet({ purchase }: { readonly purchase: Purchase }) {
  const { instanceName } = useConfig();
  const { organization } = useMe();
  const zone = useZone();
  const { amount, fee, tax, refunded } = purchase;
  const [invoice, receipt] = [webAddress(purchase.invoiceUrl), webAddress(purchase.receiptUrl)];
  return (
    <Panel className="max-w-2xl print:border-0">
      <div className="grid gap-6 p-2 text-table">
        <div className="flex flex-wrap justify-between gap-4">
          <div>
            <p className="text-section font-semibold">{instanceName}</p>
            <p className="text-muted">Prepaid credits for model requests</p>
          </div>
          <dl className="grid grid-cols-[auto_auto] gap-x-4 gap-y-1">
            <Fact label="Receipt">
              <span className="font-mono text-meta wrap-anywhere">{purchase.id}</span>
            </Fact>
            <Fact label="Paid">
              <Time at={purchase.paidAt} form="minute" /> {zone}
            </Fact>
          </dl>
        </div>
        <dl className="grid grid-cols-[140px_minmax(0,1fr)] gap-y-1">
          <Fact label="Billed to">{organization?.name}</Fact>
          {organization?.billingEmail != null && <Fact label="Billing email">{organization.billingEmail}</Fact>}
          <Fact label="Ordered by">{purchase.createdBy.name ?? "Former member"}</Fact>
          <Fact label="Payment">
            {purchase.provider === "fake" ? "Simulated (no money was charged)" : purchase.provider}
            {purchase.providerPaymentId !== null && (
              <span className="block font-mono text-meta text-muted">{purchase.providerPaymentId}</span>
            )}
          </Fact>
          {purchase.transactionId !== null && (
            <Fact label="Ledger entry">
              <span className="font-mono text-meta wrap-anywhere">{purchase.transactionId}</span>
            </Fact>
          )}
        </dl>
        <table className="w-full">
          <thead>
            <tr className="border-b border-border text-left text-meta text-muted">
              <th className="py-2 font-medium">Item</th>
              <th className="py-2 text-right font-medium">{purchase.currency.toUpperCase()}</th>
            </tr>
          </thead>
          <tbody>
            <Line label="Credits" amount={amount} />
            <Line label="Fee" amount={fee} />
            <Line label="Tax" amount={tax} />
            {refunded > 0n && <Line label="Refunded" amount={-refunded} />}
          </tbody>
          <tfoot>
            <tr className="border-t border-border font-semibold">
              <th scope="row" className="py-2 text-left font-semibold">
                Total
              </th>
              <td className="py-2 text-right">
                <Money nano={amount + fee + tax - refunded} />
              </td>
            </tr>
          </tfoot>
        </table>
        {(invoice ?? receipt) !== null && (
          <p className="flex gap-4 print:hidden">
            {invoice !== null && <Paper href={invoice}>Payment provider invoice</Paper>}
            {receipt !== null && <Paper href={receipt}>Payment provider receipt</Paper>}
          </p>
        )}
      </div>
    </Panel>
  );
}

function Paper({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <a href={href} target="_blank" rel="noreferrer" className="text-accent hover:underline">
      {children}
    </a>
  );
}

function Line({ label, amount }: { readonly label: string; readonly amount: bigint }) {
  return (
    <tr className="border-b border-hairline">
      <td className="py-2">{label}</td>
      <td className="py-2 text-right">
        <Money nano={amount} />
      </td>
    </tr>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}
