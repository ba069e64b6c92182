import { post } from "./stage/fill-instance.ts";
export default async (browser: any, i: any, r: any) => {
  const c = await i.signIn(i.admin);
  const a = await post(i, i.apiKey, "/v1/chat/completions", { model: "no-such-model", messages: [{role:"user",content:"x"}] });
  console.log(a.status, a.headers.get("x-gw-call-id"), (await a.text()).slice(0,200));
  await new Promise(r => setTimeout(r, 4000));
  const l = await c.call("listLogs", { query: { status: ["refused"] } }); console.log(l.data.map((x: any) => [x.model, x.errorCode, x.httpStatus]), l.meta);
};
