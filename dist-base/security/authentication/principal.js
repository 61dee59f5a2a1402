import { createParamDecorator } from '@nestjs/common';
/** The caller of a route that asks for a bearer. */
export const CurrentPrincipal = createParamDecorator((_data, context) => context.switchToHttp().getRequest().user);
//# sourceMappingURL=principal.js.map