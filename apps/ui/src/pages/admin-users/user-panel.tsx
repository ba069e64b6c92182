import { useCall } from "../../api/queries.ts";
import { DetailPanel } from "../../components/detail-panel.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";
import { Time } from "../../components/time.tsx";

/** A user's memberships and last sign-in. */
export function UserPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const user = useCall("getUser", { params: { id } });
  return (
    <DetailPanel title={user.data?.user.name ?? "User"} subtitle={user.data?.user.email} onClose={onClose}>
      <Loaded query={user} what="This user">
        {({ user: person, organizations, keyCount, lastLoginAt }) => (
          <div className="grid gap-5 p-5">
            <dl className="grid grid-cols-2 gap-4 text-table">
              <Fact label="Joined">
                <Time at={person.createdAt} form="minute" />
              </Fact>
              <Fact label="Last sign-in">
                {lastLoginAt === null ? "Never" : <Time at={lastLoginAt} form="minute" />}
              </Fact>
              <Fact label="Keys created">{keyCount}</Fact>
              <Fact label="Email">{person.emailVerified ? "Verified" : "Not verified"}</Fact>
            </dl>
            <section>
              <h3 className="text-table">Organizations</h3>
              <ul className="mt-1">
                {organizations.map((organization) => (
                  <li
                    key={organization.id}
                    className="flex justify-between gap-3 border-b border-hairline py-2 text-table"
                  >
                    <span className="truncate">
                      {organization.name} <span className="text-muted">{organization.role}</span>
                    </span>
                    <Money nano={organization.balance} />
                  </li>
                ))}
              </ul>
            </section>
          </div>
        )}
      </Loaded>
    </DetailPanel>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-meta text-muted">{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
