import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import { Clock, OctagonMinus } from "lucide-react";
import type { ReactNode } from "react";
import { useMe } from "../../api/me.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Time } from "../../components/time.tsx";
import { useZone } from "../../components/zone.ts";
import { plural } from "../../format/plural.ts";
import { formatClock, formatTime } from "../../format/time.ts";
import type { Team } from "./team-draft.ts";
import { lastsFor, neededToUnblock } from "./unblock-sum.ts";

/** Explains why and when the team was blocked, and how to unblock it. */
export function BlockedPanel({ team }: { readonly team: Team }) {
  return team.blockedReason === "negative_balance" ? <NoCredit team={team} /> : <BlockedByHand team={team} />;
}

function Frame({ children, facts }: { readonly children: ReactNode; readonly facts: ReactNode }) {
  return (
    <section
      aria-label="Why this team is blocked"
      className="grid gap-x-6 gap-y-4 rounded-panel border border-danger-line bg-surface p-5 lg:grid-cols-[minmax(0,1fr)_minmax(280px,340px)]"
    >
      <div className="grid content-start gap-3">
        <h2 className="text-section font-semibold">Why this team is blocked</h2>
        {children}
      </div>
      <div className="border-hairline max-lg:border-t max-lg:pt-4 lg:border-l lg:pl-6">{facts}</div>
    </section>
  );
}

function NoCredit({ team }: { readonly team: Team }) {
  const zone = useZone();
  const { leads, organization } = useMe();
  const burn = useCall("getBurnRate", {}, { staleMs: 10_000 });
  const quota = useCall("getQuota", {}, { staleMs: 10_000 });
  const at = team.blockedAt ?? team.updatedAt;
  const entries = useCall("listCreditTransactions", { query: { endDate: after(at), pageSize: 1 } });
  const refused = useCall("getUsage", { query: { startDate: at, groupBy: ["team"] } });
  const people = useCall(
    "listOrganizationMembers",
    { params: { id: team.organizationId }, query: { pageSize: 100 } },
    { enabled: leads },
  );
  const cause = entries.data?.data.find(({ balanceAfter }) => balanceAfter < 0n);
  const payers = people.data?.data.filter(({ role }) => role !== "member").map(({ name }) => name) ?? [];
  const ofTeam = refused.data?.data.find(({ group }) => group.team === team.id)?.refused ?? 0;
  return (
    <Loaded query={burn} what="The balance">
      {({ burn: { balance, perDay, blockedTeams } }) => (
        <Frame
          facts={
            <div className="grid gap-4">
              <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-table">
                <Fact label="Balance">
                  <strong className="font-semibold text-danger">{formatMoney(balance)}</strong>
                </Fact>
                {refused.data !== undefined && (
                  <Fact label={`Refused since ${clock(at, zone)}`}>
                    {plural(refused.data.totals.refused, "request")} ({formatCount(ofTeam)} from this team)
                  </Fact>
                )}
                <Fact label="Needed to unblock">
                  <strong className="font-semibold">{formatMoney(neededToUnblock(balance))} or more</strong>
                </Fact>
                {perDay > 0n && <Fact label="$50.00 would last">{lastsFor(50_000_000_000n, balance, perDay)}</Fact>}
                <Fact label="Billing contacts">
                  {payers.length > 0
                    ? nameSome(payers)
                    : `Owners and admins of ${organization?.name ?? "the organization"}`}
                </Fact>
                <Fact label="Still available">Logs, usage, keys, and settings</Fact>
              </dl>
              <ButtonLink to="/credits" variant="primary" className="justify-self-end">
                Add credits
              </ButtonLink>
            </div>
          }
        >
          <p className="text-body text-muted">
            The organization ran out of prepaid credit; no team limit was reached. Teams are unblocked as soon as the
            balance is $0 or more.
          </p>
          <ol className="grid gap-3 text-table">
            <Step icon={<Clock size={16} strokeWidth={1.5} aria-hidden />} at={at} title="Balance fell below zero">
              {cause === undefined ? (
                "See the ledger for the entry that caused this block."
              ) : (
                <>
                  {causes[cause.kind] ?? "Ledger entry"}: {formatMoney(-cause.amount)}. The balance was{" "}
                  {formatMoney(cause.balanceAfter - cause.amount)} before.{" "}
                  <span className="font-mono text-meta wrap-anywhere">{cause.id}</span>
                </>
              )}
            </Step>
            <Step
              icon={<OctagonMinus size={16} strokeWidth={1.5} aria-hidden className="text-danger" />}
              at={at}
              title={
                blockedTeams > 1
                  ? `${plural(blockedTeams, "team")} blocked, including this one`
                  : "This team was blocked"
              }
            >
              In the same transaction. Requests with this team's {plural(team.keyCount, "key")} now fail with 403{" "}
              <code className="font-mono">TEAM_BLOCKED</code> and this reason.
              {quota.data !== undefined &&
                ` ${quota.data.quota.blockedTeams} of ${quota.data.quota.teams} teams are blocked.`}
            </Step>
          </ol>
        </Frame>
      )}
    </Loaded>
  );
}

function BlockedByHand({ team }: { readonly team: Team }) {
  const { isAdministrator } = useMe();
  const unblock = useChange("unblockTeam", {
    invalidates: ["getTeam", "listTeams", "getQuota", "getBurnRate"],
    done: `Team ${team.name} unblocked`,
  });
  return (
    <Frame
      facts={
        <div className="grid gap-4">
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-table">
            <Fact label="Blocked">
              <Time at={team.blockedAt} form="minute" />
            </Fact>
            <Fact label="Blocked keys">{formatCount(team.keyCount)}</Fact>
            <Fact label="Contact">Platform administrators</Fact>
          </dl>
          {isAdministrator && (
            <Button
              variant="primary"
              className="justify-self-end"
              busy={unblock.isPending}
              onClick={() => unblock.mutate({ params: { id: team.id }, body: {} })}
            >
              Unblock team
            </Button>
          )}
        </div>
      }
    >
      <p className="text-body text-muted">
        A platform administrator manually blocked this team. The block doesn't depend on the balance, so adding credits
        doesn't lift it. To find out why the team was blocked or to have it unblocked, contact a platform administrator.
      </p>
    </Frame>
  );
}

const causes: Readonly<Record<string, string>> = {
  usage: "Usage from requests already in flight",
  adjustment: "Adjustment by an administrator",
  refund: "Purchase refund",
  dispute: "Payment dispute",
  expiry: "Credit expiry",
};

interface StepProps {
  readonly icon: ReactNode;
  readonly at: string;
  readonly title: string;
  readonly children: ReactNode;
}

function Step({ icon, at, title, children }: StepProps) {
  const zone = useZone();
  return (
    <li className="grid grid-cols-[16px_minmax(0,1fr)] gap-x-2">
      <span className="mt-0.5 text-muted">{icon}</span>
      <div>
        <p>
          <strong className="mr-2 font-semibold tabular-nums" title={`${formatTime(at, "millisecond", zone)} ${zone}`}>
            {clock(at, zone)}
          </strong>
          {title}
        </p>
        <p className="text-meta text-muted">{children}</p>
      </div>
    </li>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{label}</dt>
      <dd className="text-right">{children}</dd>
    </>
  );
}

/** Formats a time as the time of day, with the date if it isn't today. */
function clock(at: string, zone: string): string {
  const day = formatTime(at, "day", zone);
  return day === formatTime(new Date(), "day", zone) ? formatClock(at, zone) : `${day}, ${formatClock(at, zone)}`;
}

function after(at: string): string {
  return new Date(new Date(at).getTime() + 1).toISOString();
}

function nameSome(names: readonly string[]): string {
  return names.length <= 3 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;
}
