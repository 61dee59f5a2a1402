import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { API_KEY_SCHEME, BEARER_SCHEME, ERROR_CODES_EXTENSION } from '../access/index.js';
import { envelopeKindOf } from '../http/index.js';
import { SUCCESS_EXTENSION } from './operation.decorator.js';
import { SCHEMA_COMPONENTS, HEADER_COMPONENTS, responsesOf } from './responses.js';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const DESCRIPTION = `Accounts and authentication: register, confirm the e-mail address with a one-time code, log in by
username or e-mail, stay logged in with a rotating refresh token, log out, recover a password, and report a login that
was not yours with one call.

Every error bears a stable \`code\`; branch on it and not on \`message\`. Every answer bears \`x-request-id\`; quote it
when you ask for help.`;
const TAGS = [
    ['Registration', 'Make an account and confirm its e-mail address'],
    ['Sessions', 'Log in, stay logged in, log out'],
    ['Recovery', 'A forgotten password, a login that was not yours'],
    ['Profile', 'Your own account'],
    ['Login history', 'Your own sessions'],
    ['Administration', 'For administrators'],
    ['Health', 'For load balancers and orchestrators'],
];
/**
 * The OpenAPI document, made from the decorators alone. Responses are completed here and not route by route: which
 * envelope a path answers in, and which errors follow from its access, is decided in one place for all.
 */
export function createOpenApiDocument(app) {
    const builder = new DocumentBuilder()
        .setTitle('Account service')
        .setVersion('1.0.0')
        .setDescription(DESCRIPTION)
        .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The `token` of a login' }, BEARER_SCHEME)
        .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key', description: 'Names the calling application' }, API_KEY_SCHEME);
    for (const [name, description] of TAGS)
        builder.addTag(name, description);
    const document = SwaggerModule.createDocument(app, builder.build(), {
        operationIdFactory: (_controller, method) => method,
    });
    document.components = {
        ...document.components,
        headers: HEADER_COMPONENTS,
        schemas: { ...SCHEMA_COMPONENTS, ...document.components?.schemas },
    };
    const tags = new Set(document.tags?.map(({ name }) => name));
    for (const [path, item] of Object.entries(document.paths)) {
        for (const method of METHODS) {
            const operation = item[method];
            if (!operation)
                continue;
            completeOperation(path, operation);
            for (const tag of operation.tags ?? [])
                tags.add(tag);
        }
    }
    const known = document.tags ?? [];
    document.tags = [...tags].map((name) => known.find((tag) => tag.name === name) ?? { name });
    return document;
}
function completeOperation(path, operation) {
    const success = operation[SUCCESS_EXTENSION];
    const errorCodes = (operation[ERROR_CODES_EXTENSION] ?? []);
    delete operation[SUCCESS_EXTENSION];
    delete operation[ERROR_CODES_EXTENSION];
    if (!success)
        return;
    operation.responses = responsesOf({
        envelope: envelopeKindOf(path),
        success,
        errorCodes,
        hasInput: operation.requestBody !== undefined || (operation.parameters ?? []).length > 0,
        hasBody: operation.requestBody !== undefined,
        isLimited: errorCodes.some((code) => code.startsWith('too_many')),
    });
}
//# sourceMappingURL=openapi-document.js.map