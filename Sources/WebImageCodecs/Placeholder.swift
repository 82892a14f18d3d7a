import CCodecShim
import WebImageCore
