import { writeFileSync } from "node:fs";
import { observeLitellm, observeTollgate } from "./observe.ts";
import { questions } from "./questions/questions.ts";
const which = process.argv[2];
const t = performance.now();
if (which === "l") writeFileSync("/tmp/oracle/theirs.json", JSON.stringify(await observeLitellm(questions), null, 1));
else writeFileSync("/tmp/oracle/ours.json", JSON.stringify(await observeTollgate(questions), null, 1));
console.log(which, questions.length, performance.now() - t);
