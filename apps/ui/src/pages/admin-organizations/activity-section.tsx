import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { useState } from "react";
import { useCall } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";
import { Time } from "../../components/time.tsx";
import { plural } from "../../format/plural.ts";

type Activity = Operations["getOrganizationActivity"]["answer"];

/** Rows that a list shows. */
const SHOWN = 10;

/** An organization's members, keys, and spend, read-only. Nothing is loaded until the administrator asks for it. */
export function ActivitySection({ id }: { readonly id: string }) {
  const [isOpen, setOpen] = useState(false);
  const activity = useCall("getOrganizationActivity", { params: { id } }, { enabled: isOpen, staleMs: 300_000 });
  return (
    <section className="grid gap-3">
      <h3 className="text-table">Activity</h3>
      {isOpen ? (
        <Loaded query={activity} what="The activity">
          {(data) => <ActivityLists activity={data} />}
        </Loaded>
      ) : (
        <div className="flex flex-wrap items-center gap-3">
          <Button onClick={() => setOpen(true)}>View activity</Button>
          <span className="text-meta text-muted">
            Read-only. The organization's audit log records that you viewed it.
          </span>
        </div>
      )}
    </section>
  );
}

function ActivityLists({ activity: { members, keys, models, days } }: { readonly activity: Activity }) {
  const total = days.reduce((sum, { cost }) => sum + cost, 0n);
  return (
    <div className="grid gap-4 text-table">
      <p className="text-muted">
        {formatMoney(total)} in the last 30 days, {plural(members.length, "member")}, {plural(keys.length, "key")}.
      </p>
      <List title="Keys" count={keys.length}>
        {keys.slice(0, SHOWN).map((key) => (
          <Row key={key.id} name={key.name} note={`${key.teamName}, ${key.status}`} cost={key.cost}>
            {key.lastUsedAt === null ? "never used" : <Time at={key.lastUsedAt} form="relative" />}
          </Row>
        ))}
      </List>
      <List title="Models" count={models.length}>
        {models.slice(0, SHOWN).map(({ model, cost }) => (
          <Row key={model} name={model} note="" cost={cost} />
        ))}
      </List>
      <List title="Members" count={members.length}>
        {members.slice(0, SHOWN).map((member) => (
          <Row key={member.id} name={member.name} note={member.email}>
            {member.role}
          </Row>
        ))}
      </List>
    </div>
  );
}

function List(props: { readonly title: string; readonly count: number; readonly children: React.ReactNode }) {
  if (props.count === 0) return null;
  return (
    <div>
      <h4 className="text-meta text-muted">
        {props.title}
        {props.count > SHOWN && `, first ${SHOWN} of ${props.count}`}
      </h4>
      <ul>{props.children}</ul>
    </div>
  );
}

interface RowProps {
  readonly name: string;
  readonly note: string;
  readonly cost?: bigint;
  readonly children?: React.ReactNode;
}

function Row({ name, note, cost, children }: RowProps) {
  return (
    <li className="flex items-baseline gap-3 border-b border-hairline py-1.5 last:border-0">
      <span className="min-w-0 flex-1 truncate" title={`${name} ${note}`}>
        <span className="font-medium">{name}</span> <span className="text-muted">{note}</span>
      </span>
      <span className="text-meta text-muted">{children}</span>
      {cost !== undefined && <Money nano={cost} />}
    </li>
  );
}
