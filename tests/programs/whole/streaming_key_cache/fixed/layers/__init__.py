from .transcriber import Transcriber
