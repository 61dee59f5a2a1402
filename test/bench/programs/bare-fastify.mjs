/** What everything is compared with: one route of plain Fastify that answers the JSON text it is given in BODY. */
import fastify from 'fastify';

const body = JSON.parse(process.env.BODY);
const server = fastify();
server.get('/api/profile', () => body);
console.log(`bare Fastify on ${await server.listen({ port: 0, host: '127.0.0.1' })}`);
