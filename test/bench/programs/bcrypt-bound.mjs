/** How many bcrypt comparisons of cost 10 this core does, one after the other: no login can be faster. */
import { compare, hash } from 'bcrypt';

const password = 'Abcdef1@';
const expected = await hash(password, 10);

process.on('message', async ({ seconds }) => {
  const start = performance.now();
  let done = 0;
  for (; performance.now() - start < seconds * 1000; done++) await compare(password, expected);
  process.send({ perSecond: (done * 1000) / (performance.now() - start) });
});
console.log('bcrypt on this core');
